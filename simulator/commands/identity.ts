import { bootedAt, log } from '../world/nodes/node.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const KERNEL = '5.15.0-101-generic';

function setHostname(name: string, { node, files }: CommandContext): Output {
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,62}[a-zA-Z0-9])?$/.test(name)) {
    return failure(1, `Could not set static hostname: Invalid static hostname '${name}'`);
  }
  node.state.hostname = name;
  files.write('/etc/hostname', `${name}\n`);
  log(node, 'systemd-hostnamed.service', `Hostname set to <${name}> (static)`);
  return ok();
}

function hostnamectl(args: readonly string[], context: CommandContext): Output {
  const { state } = context.node;
  const [verb = 'status', name] = args.filter((argument) => !argument.startsWith('-'));
  if (verb === 'set-hostname' || (verb === 'hostname' && name !== undefined)) {
    if (!context.isRoot) return failure(1, 'Could not set property: Interactive authentication required.');
    return setHostname(name ?? '', context);
  }
  if (verb === 'hostname') return ok(`${state.hostname}\n`);
  return ok(
    ` Static hostname: ${state.hostname}\n       Icon name: computer-vm\n         Chassis: vm\n      Machine ID: ${state.machineId}\n         Boot ID: ${state.bootId.replaceAll('-', '')}\n  Virtualization: kvm\nOperating System: Ubuntu 22.04.4 LTS\n          Kernel: Linux ${KERNEL}\n    Architecture: x86-64\n Hardware Vendor: OpenStack Foundation\n  Hardware Model: OpenStack Nova\n`,
  );
}

function hostname(args: readonly string[], context: CommandContext): Output {
  const { state } = context.node;
  const [option] = args;
  if (option === undefined || option === '-s') return ok(`${state.hostname.split('.')[0]}\n`);
  if (option === '-f' || option === '--fqdn') return ok(`${state.hostname}\n`);
  if (option === '-I' || option === '--all-ip-addresses' || option === '-i') {
    return ok(`${state.machine.ports.map(({ address }) => address).join(' ')} \n`);
  }
  if (option.startsWith('-')) return failure(4, `hostname: invalid option -- '${option.slice(1)}'`);
  return context.isRoot
    ? setHostname(option, context)
    : failure(1, 'hostname: you must be root to change the host name');
}

function uname(args: readonly string[], { node }: CommandContext): Output {
  const fields: readonly [string, string][] = [
    ['s', 'Linux'],
    ['n', node.state.hostname],
    ['r', KERNEL],
    ['v', '#111-Ubuntu SMP Tue Mar 5 20:16:58 UTC 2024'],
    ['m', 'x86_64'],
    ['p', 'x86_64'],
    ['i', 'x86_64'],
    ['o', 'GNU/Linux'],
  ];
  const letters = args.join('').replaceAll('-', '') || 's';
  const shown = fields.filter(([letter]) => letters.includes('a') || letters.includes(letter));
  return ok(`${shown.map(([, value]) => value).join(' ')}\n`);
}

function id(args: readonly string[], { user, node }: CommandContext): Output {
  const parsed = parseArguments(args, new Set());
  const who = parsed.operands[0] ?? user;
  const known = who === 'root' || who in node.state.users;
  if (!known) return failure(1, `id: ‘${who}’: no such user`);
  const number = who === 'root' ? 0 : 1000;
  if (parsed.has('-u') && !parsed.has('-n')) return ok(`${number}\n`);
  if (parsed.has('-u', '-g') && parsed.has('-n')) return ok(`${who}\n`);
  if (parsed.has('-g')) return ok(`${number}\n`);
  const groups = who === 'root' ? '0(root)' : `1000(${who}),4(adm),27(sudo)`;
  return ok(`uid=${number}(${who}) gid=${number}(${who}) groups=${groups}\n`);
}

function getent([database, key]: readonly string[], { files, node }: CommandContext): Output {
  if (database === 'hosts' && key !== undefined) {
    const line = hostsLine(files.readText('/etc/hosts'), key) ?? (/^[\d.]+$/.test(key) ? `${key} ${key}` : undefined);
    if (line) return ok(`${line}\n`);
    return key === node.state.hostname ? ok(`127.0.1.1       ${key}\n`) : failure(2, '');
  }
  const file = `/etc/${database ?? ''}`;
  if (!['passwd', 'group'].includes(database ?? '')) return failure(1, `Unknown database: ${database ?? ''}`);
  const lines = files.readText(file).split('\n').filter(Boolean);
  const found = key === undefined ? lines : lines.filter((line) => line.startsWith(`${key}:`));
  return found.length === 0 ? failure(2, '') : ok(`${found.join('\n')}\n`);
}

/** Finds the line of a hosts file that contains `key`. */
function hostsLine(text: string, key: string): string | undefined {
  return text.split('\n').find((line) => line.split(/\s+/).slice(1).includes(key));
}

async function cloudInit(args: readonly string[], context: CommandContext): Promise<Output> {
  const [verb] = args;
  if (verb === '--version' || verb === '-v') return ok('/usr/bin/cloud-init 23.4.4-0ubuntu0~22.04.1\n');
  if (verb !== 'status') return failure(2, `cloud-init: error: argument subcommand: invalid choice: '${verb ?? ''}'`);
  const done = '/run/cloud-init/result.json';
  let dots = '';
  while (!context.node.root.exists(done)) {
    if (!args.includes('--wait')) return ok('status: running\n');
    dots += '.';
    await context.sleep(0.5);
  }
  return ok(`${dots}${dots ? '\n' : ''}status: done\n`);
}

export const IDENTITY: CommandTable = {
  hostname: { run: hostname },
  hostnamectl: { run: hostnamectl },
  uname: { run: uname },
  id: { run: id },
  whoami: { run: (_, { user }) => ok(`${user}\n`) },
  groups: { run: (_, { user }) => ok(user === 'root' ? 'root\n' : `${user} adm sudo\n`) },
  nproc: { run: (_, { node }) => ok(`${node.state.machine.flavor.vcpus}\n`) },
  arch: { run: () => ok('x86_64\n') },
  getent: { run: getent },
  'cloud-init': { run: cloudInit, seconds: () => 0 },
  tty: { run: () => failure(1, '', 'not a tty\n') },
  who: { run: () => ok() },
  last: { run: () => ok() },
  lsb_release: {
    run: (args) => {
      if (args.join('').includes('c') && args.join('').includes('s')) return ok('jammy\n');
      return ok('Distributor ID:\tUbuntu\nDescription:\tUbuntu 22.04.4 LTS\nRelease:\t22.04\nCodename:\tjammy\n');
    },
  },
  uptime: {
    run: (_, { node, world }) => {
      const minutes = Math.max(0, Math.floor((world.clock.elapsed() - bootedAt(node)) / 60));
      return ok(` 10:00:00 up ${minutes} min,  1 user,  load average: 0.08, 0.03, 0.01\n`);
    },
  },
  timedatectl: { run: () => ok('System clock synchronized: yes\n              NTP service: active\n') },
};
