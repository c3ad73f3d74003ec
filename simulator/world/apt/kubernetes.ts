import { lastPatch } from '../internet/releases.ts';
import { type DebianPackage, unitFileText } from './package.ts';

/** The systemd drop-in of the kubeadm packages of pkgs.k8s.io. */
const KUBEADM_DROP_IN = `# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;

const CNI_PLUGINS =
  'bandwidth bridge dhcp dummy firewall host-device host-local ipvlan loopback macvlan portmap ptp sbr static tuning vlan vrf';

/** Versions of the companion packages, by minor version of Kubernetes. */
const COMPANIONS: Readonly<Record<string, { readonly tools: string; readonly cni: string }>> = {
  '1.24': { tools: '1.24.2-1.1', cni: '1.1.1-2.1' },
  '1.25': { tools: '1.25.0-1.1', cni: '1.2.0-2.1' },
  '1.26': { tools: '1.26.0-1.1', cni: '1.2.0-2.1' },
  '1.27': { tools: '1.27.1-1.1', cni: '1.2.0-2.1' },
  '1.28': { tools: '1.28.0-1.1', cni: '1.2.0-2.1' },
  '1.29': { tools: '1.29.0-1.1', cni: '1.3.0-1.1' },
  '1.30': { tools: '1.30.1-1.1', cni: '1.4.0-1.1' },
  '1.31': { tools: '1.31.1-1.1', cni: '1.5.1-1.1' },
  '1.34': { tools: '1.34.0-1.1', cni: '1.7.1-1.1' },
  '1.35': { tools: '1.35.0-1.1', cni: '1.8.0-1.1' },
  '1.36': { tools: '1.36.0-1.1', cni: '1.8.0-1.1' },
};

/** Versions whose first packages were built twice. */
const BUILT_TWICE = new Set(['1.24.0', '1.25.0', '1.26.0', '1.27.0']);

function nodePackages(version: string): readonly DebianPackage[] {
  const revision = BUILT_TWICE.has(version) ? '-2.1' : '-1.1';
  return [
    {
      name: 'kubelet',
      version: `${version}${revision}`,
      depends: [
        'iptables',
        'kubernetes-cni',
        'iproute2',
        'socat',
        'util-linux',
        'mount',
        'ebtables',
        'ethtool',
        'conntrack',
      ],
      programs: ['/usr/bin/kubelet'],
      directories: ['/etc/kubernetes/manifests', '/var/lib/kubelet'],
      files: {
        '/usr/lib/systemd/system/kubelet.service': unitFileText(
          'kubelet: The Kubernetes Node Agent',
          '/usr/bin/kubelet',
        ),
        '/etc/default/kubelet': 'KUBELET_EXTRA_ARGS=\n',
      },
    },
    {
      name: 'kubeadm',
      version: `${version}${revision}`,
      depends: ['kubelet', 'kubectl', 'kubernetes-cni', 'cri-tools'],
      programs: ['/usr/bin/kubeadm'],
      files: { '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': KUBEADM_DROP_IN },
    },
    { name: 'kubectl', version: `${version}${revision}`, programs: ['/usr/bin/kubectl'] },
  ];
}

const repositories = new Map<string, readonly DebianPackage[]>();

/**
 * All packages of `core:/stable:/vMINOR`. Undefined when this repository does not exist.
 * @param minor for example `1.26`
 */
export function kubernetesPackages(minor: string): readonly DebianPackage[] | undefined {
  const last = lastPatch('kubernetes', minor);
  const companions = COMPANIONS[minor];
  if (last === undefined || companions === undefined) return undefined;
  const known = repositories.get(minor);
  if (known) return known;
  const all: readonly DebianPackage[] = [
    ...Array.from({ length: last + 1 }, (_, patch) => nodePackages(`${minor}.${patch}`)).flat(),
    { name: 'cri-tools', version: companions.tools, programs: ['/usr/bin/crictl', '/usr/bin/critest'] },
    {
      name: 'kubernetes-cni',
      version: companions.cni,
      programs: CNI_PLUGINS.split(' ').map((name) => `/opt/cni/bin/${name}`),
    },
  ];
  repositories.set(minor, all);
  return all;
}
