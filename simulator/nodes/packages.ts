import { latestPatch } from './artefacts.ts';

/** A Debian package: what it puts on the machine. */
export interface DebianPackage {
  readonly version: string;
  readonly depends?: readonly string[];
  readonly programs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly directories?: readonly string[];
  /** Services it enables and starts. */
  readonly starts?: readonly string[];
}

function unit(description: string, start: string): string {
  return `[Unit]\nDescription=${description}\n\n[Service]\nExecStart=${start}\nRestart=always\n\n[Install]\nWantedBy=multi-user.target\n`;
}

const HAPROXY_DEFAULT =
  'global\n\tlog /dev/log\tlocal0\n\tchroot /var/lib/haproxy\n\tstats socket /run/haproxy/admin.sock mode 660 level admin expose-fd listeners\n\tuser haproxy\n\tgroup haproxy\n\tdaemon\n\ndefaults\n\tlog\tglobal\n\tmode\thttp\n\ttimeout connect 5000\n\ttimeout client  50000\n\ttimeout server  50000\n';

/** Ubuntu's own, in the versions of jammy. */
const UBUNTU: Readonly<Record<string, DebianPackage>> = {
  'ca-certificates': { version: '20230311ubuntu0.22.04.1' },
  'apt-transport-https': { version: '2.4.11' },
  curl: { version: '7.81.0-1ubuntu1.15', programs: ['/usr/bin/curl'] },
  gpg: { version: '2.2.27-3ubuntu2.1', programs: ['/usr/bin/gpg'] },
  gnupg: { version: '2.2.27-3ubuntu2.1', programs: ['/usr/bin/gpg'] },
  jq: { version: '1.6-2.1ubuntu3', programs: ['/usr/bin/jq'] },
  conntrack: { version: '1:1.4.6-2build2', programs: ['/usr/sbin/conntrack'] },
  ebtables: { version: '2.0.11-4build2', programs: ['/usr/sbin/ebtables'] },
  ethtool: { version: '1:5.16-1', programs: ['/usr/sbin/ethtool'] },
  iptables: { version: '1.8.7-1ubuntu5.2', programs: ['/usr/sbin/iptables'] },
  ipvsadm: { version: '1:1.31-1build2', programs: ['/usr/sbin/ipvsadm'] },
  socat: { version: '1.7.4.1-3ubuntu4', programs: ['/usr/bin/socat'] },
  haproxy: {
    version: '2.4.24-0ubuntu0.22.04.1',
    programs: ['/usr/sbin/haproxy'],
    directories: ['/run/haproxy', '/var/lib/haproxy'],
    files: {
      '/etc/haproxy/haproxy.cfg': HAPROXY_DEFAULT,
      '/usr/lib/systemd/system/haproxy.service': unit(
        'HAProxy Load Balancer',
        '/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg',
      ),
    },
    starts: ['haproxy'],
  },
  keepalived: {
    version: '1:2.2.4-0.2build1',
    programs: ['/usr/sbin/keepalived'],
    directories: ['/etc/keepalived'],
    files: {
      '/usr/lib/systemd/system/keepalived.service': unit(
        'Keepalive Daemon (LVS and VRRP)',
        '/usr/sbin/keepalived --dont-fork',
      ),
    },
  },
  'docker.io': {
    version: '24.0.5-0ubuntu1~22.04.1',
    programs: ['/usr/bin/docker'],
    files: {
      '/usr/lib/systemd/system/docker.service': unit(
        'Docker Application Container Engine',
        '/usr/bin/dockerd -H fd://',
      ),
    },
    directories: ['/etc/docker', '/var/lib/docker'],
    starts: ['docker'],
  },
};

const KUBELET_UNIT = unit('kubelet: The Kubernetes Node Agent', '/usr/bin/kubelet');
const KUBELET_DROP_IN =
  '[Service]\nEnvironment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"\nEnvironment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"\nEnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env\nExecStart=\nExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS\n';

function kubernetes(name: string, version: string): DebianPackage | undefined {
  const minor = version.split('.').slice(0, 2).join('.');
  switch (name) {
    case 'kubelet':
      return {
        version: `${version}-1.1`,
        depends: ['conntrack', 'ebtables', 'ethtool', 'iptables', 'socat', 'kubernetes-cni'],
        programs: ['/usr/bin/kubelet'],
        directories: ['/etc/kubernetes/manifests', '/var/lib/kubelet'],
        files: {
          '/usr/lib/systemd/system/kubelet.service': KUBELET_UNIT,
          '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': KUBELET_DROP_IN,
        },
        starts: ['kubelet'],
      };
    case 'kubeadm':
      return {
        version: `${version}-1.1`,
        depends: ['kubelet', 'kubectl', 'cri-tools'],
        programs: ['/usr/bin/kubeadm'],
      };
    case 'kubectl':
      return { version: `${version}-1.1`, programs: ['/usr/bin/kubectl'] };
    case 'cri-tools':
      return { version: `${minor}.0-1.1`, programs: ['/usr/bin/crictl'] };
    case 'kubernetes-cni':
      return { version: '1.2.0-2.1', directories: ['/opt/cni/bin'] };
    default:
      return undefined;
  }
}

const KUBERNETES_NAMES = new Set(['kubelet', 'kubeadm', 'kubectl', 'cri-tools', 'kubernetes-cni']);

/** Versions of a package that the machine's package lists name, newest first. @param minors of Kubernetes, from the lists */
export function availableVersions(name: string, minors: readonly number[]): readonly string[] {
  if (!KUBERNETES_NAMES.has(name)) {
    const version = UBUNTU[name]?.version;
    return version === undefined ? [] : [version];
  }
  return minors
    .toSorted((left, right) => right - left)
    .flatMap((minor) => {
      const last = latestPatch(minor) ?? -1;
      const patches = Array.from({ length: last + 1 }, (_, index) => `1.${minor}.${last - index}`);
      const versions = patches.flatMap((version) => kubernetes(name, version)?.version ?? []);
      return [...new Set(versions)];
    });
}

export function packageAt(name: string, version: string): DebianPackage | undefined {
  if (!KUBERNETES_NAMES.has(name)) return UBUNTU[name];
  return kubernetes(name, version.replace(/-[\d.]+$/, ''));
}

/** Whether an installed version is what `name=asked` asks for; `*` stands for anything. */
export function versionMatches(asked: string, version: string): boolean {
  const expression = asked.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${expression}$`).test(version);
}
