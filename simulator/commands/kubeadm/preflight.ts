import { listeningPorts } from '../../world/cluster/endpoints.ts';
import { COMPONENTS, MANIFESTS } from '../../world/cluster/static-pods.ts';
import { sysctlValue } from '../../world/files/dynamic.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import { serviceState } from '../../world/systemd/services.ts';
import { criProblem } from '../runtime.ts';
import type { CommandContext } from '../shell/command.ts';

/** One finding of kubeadm's checks. An error stops kubeadm unless the command line ignores it by name. */
export interface Finding {
  readonly level: 'ERROR' | 'WARNING';
  readonly name: string;
  readonly text: string;
}

type Check = (context: CommandContext) => readonly Finding[];

const error = (name: string, text: string): Finding => ({ level: 'ERROR', name, text });
const warning = (name: string, text: string): Finding => ({ level: 'WARNING', name, text });

const privileged: Check = ({ isRoot }) => (isRoot ? [] : [error('IsPrivilegedUser', 'user is not running as root')]);

const cri: Check = ({ node }) => {
  const problem = criProblem(node);
  return problem === undefined
    ? []
    : [
        error(
          'CRI',
          `container runtime is not running: output: time="2026-11-21T10:00:00Z" level=fatal msg="validate service connection: CRI v1 runtime API is not implemented for endpoint \\"unix:///var/run/containerd/containerd.sock\\": ${problem.replaceAll('"', '\\"')}"\n, error: exit status 1`,
        ),
      ];
};

function sysctlIsOne(key: string): Check {
  const path = `/proc/sys/${key.replaceAll('.', '/')}`;
  const name = `FileContent-${path.replaceAll('/', '-')}`;
  return ({ node }) => {
    const value = sysctlValue(node.state, key);
    if (value === undefined) return [error(name, `${path} does not exist`)];
    return value === '1' ? [] : [error(name, `${path} contents are not set to 1`)];
  };
}

const swap: Check = ({ node }) =>
  node.state.kernel.swaps.length === 0
    ? []
    : [
        warning(
          'Swap',
          'swap is enabled; production deployments should disable swap unless testing the NodeSwap feature gate of the kubelet',
        ),
      ];

const size: Check = ({ node }) => {
  const { vcpus, ramMb } = node.state.machine.flavor;
  return [
    ...(vcpus < 2 ? [error('NumCPU', `the number of available CPUs ${vcpus} is less than the required 2`)] : []),
    ...(ramMb < 1700 ? [error('Mem', `the system RAM (${ramMb} MB) is less than the minimum 1700 MB`)] : []),
  ];
};

function ports(...numbers: readonly number[]): Check {
  return ({ node }) => {
    const used = new Set(listeningPorts(node).map(({ port }) => port));
    return numbers.filter((port) => used.has(port)).map((port) => error(`Port-${port}`, `Port ${port} is in use`));
  };
}

function fileAbsent(path: string): Check {
  return ({ node }) =>
    node.root.exists(path) ? [error(`FileAvailable-${path.replaceAll('/', '-')}`, `${path} already exists`)] : [];
}

function directoryEmpty(path: string): Check {
  return ({ node }) =>
    node.root.exists(path) && node.root.list(path).length > 0
      ? [error(`DirAvailable-${path.replaceAll('/', '-')}`, `${path} is not empty`)]
      : [];
}

function commandExists(name: string, level: 'ERROR' | 'WARNING' = 'ERROR'): Check {
  return ({ node }) =>
    installedProgram(node, name)
      ? []
      : [{ level, name: `FileExisting-${name}`, text: `${name} not found in system path` }];
}

const kubeletService: Check = ({ node }) => {
  const state = serviceState(node, 'kubelet');
  if (!state) return [warning('Service-Kubelet', 'no supported init system detected, skipping checking for services')];
  return state.enabled
    ? []
    : [warning('Service-Kubelet', "kubelet service is not enabled, please run 'systemctl enable kubelet.service'")];
};

const kubeletInstalled: Check = ({ node }) =>
  installedProgram(node, 'kubelet')
    ? []
    : [
        error(
          'KubeletVersion',
          "couldn't get kubelet version: cannot execute 'kubelet --version': executable file not found in $PATH",
        ),
      ];

const hostname: Check = ({ node }) => {
  const { hostname: name } = node.state;
  const known = node.root
    .readText('/etc/hosts')
    .split('\n')
    .some((line) => line.split(/\s+/).slice(1).includes(name));
  return known
    ? []
    : [
        warning('Hostname', `hostname "${name}" could not be reached`),
        warning('Hostname', `hostname "${name}": lookup ${name} on 127.0.0.53:53: server misbehaving`),
      ];
};

const COMMON: readonly Check[] = [
  privileged,
  cri,
  sysctlIsOne('net.bridge.bridge-nf-call-iptables'),
  sysctlIsOne('net.ipv4.ip_forward'),
  swap,
  commandExists('crictl', 'WARNING'),
  commandExists('conntrack'),
  commandExists('ip'),
  commandExists('iptables'),
  kubeletInstalled,
  hostname,
  kubeletService,
];

const CONTROL_PLANE: readonly Check[] = [
  size,
  ports(6443, 10259, 10257),
  ...COMPONENTS.filter((component) => component !== 'etcd').map((component) =>
    fileAbsent(`${MANIFESTS}/${component}.yaml`),
  ),
  fileAbsent(`${MANIFESTS}/etcd.yaml`),
];

const ETCD: readonly Check[] = [ports(2379, 2380), directoryEmpty('/var/lib/etcd')];

const JOIN: readonly Check[] = [
  fileAbsent('/etc/kubernetes/kubelet.conf'),
  fileAbsent('/etc/kubernetes/bootstrap-kubelet.conf'),
  fileAbsent('/etc/kubernetes/pki/ca.crt'),
];

const CHECKS: Readonly<Record<'init' | 'join-worker' | 'join-control-plane', readonly Check[]>> = {
  init: [...CONTROL_PLANE, ...COMMON, ports(10250), ...ETCD],
  'join-worker': [...COMMON, directoryEmpty(MANIFESTS), ports(10250), ...JOIN],
  'join-control-plane': [...COMMON, ports(10250), ...JOIN, ...CONTROL_PLANE, ...ETCD],
};

/** Runs the preflight checks. @returns the text for stderr, and whether kubeadm stops */
export function preflight(
  kind: keyof typeof CHECKS,
  context: CommandContext,
  ignored: readonly string[],
): { readonly stderr: string; readonly stopped: boolean } {
  const findings = CHECKS[kind].flatMap((check) => check(context));
  const isIgnored = (finding: Finding) =>
    ignored.some((name) => name.toLowerCase() === 'all' || name.toLowerCase() === finding.name.toLowerCase());
  const soft = findings.filter((finding) => finding.level === 'WARNING' || isIgnored(finding));
  const hard = findings.filter((finding) => !soft.includes(finding));
  const warnings = soft.map(({ name, text }) => `\t[WARNING ${name}]: ${text}\n`).join('');
  if (hard.length === 0) return { stderr: warnings, stopped: false };
  const errors = hard.map(({ name, text }) => `\t[ERROR ${name}]: ${text}\n`).join('');
  return {
    stderr: `${warnings}error execution phase preflight: [preflight] Some fatal errors occurred:\n${errors}[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\`\n${STACK_HINT}`,
    stopped: true,
  };
}

export const STACK_HINT = 'To see the stack trace of this error execute with --v=5 or higher\n';
