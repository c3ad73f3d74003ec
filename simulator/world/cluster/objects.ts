import { installedProgram } from '../files/installed-program.ts';
import type { World } from '../world.ts';
import { validTokens } from './bootstrap-tokens.ts';
import type { ClusterState, KubeNode, KubeObject } from './clusters.ts';
import { withStatus } from './controller-status.ts';
import type { Kind } from './kinds.ts';
import { readinessOf } from './kube-nodes.ts';
import { podCidrOf } from './pod-pool.ts';
import { podObject, podsOf } from './pods.ts';
import { tendTokens } from './service-accounts.ts';
import { stamp } from './time.ts';

/** Returns all objects of one kind, including those that the cluster itself makes. */
export function objectsOf(world: World, cluster: ClusterState, { kind: wanted }: Kind): readonly KubeObject[] {
  const generated = GENERATED[wanted]?.(world, cluster) ?? [];
  const made = Object.values(cluster.objects).filter((object) => object.kind === wanted && wanted !== 'Pod');
  return [...generated, ...made.map((one) => withStatus(world, cluster, one))];
}

type Generator = (world: World, cluster: ClusterState) => readonly KubeObject[];

const GENERATED: Readonly<Record<string, Generator>> = {
  Node: (world, cluster) =>
    Object.values(cluster.nodes)
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((kube) => nodeObject(world, cluster, kube)),
  Pod: (world, cluster) => podsOf(world, cluster).map((pod) => podObject(pod, cluster)),
  Namespace: (_, cluster) =>
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) =>
      makeObject(cluster, 'Namespace', 'v1', { name }, { status: { phase: 'Active' } }),
    ),
  ConfigMap: (_, cluster) => [
    makeObject(
      cluster,
      'ConfigMap',
      'v1',
      { name: 'kubeadm-config', namespace: 'kube-system' },
      { data: { ClusterConfiguration: clusterConfiguration(cluster) } },
    ),
    makeObject(cluster, 'ConfigMap', 'v1', { name: 'cluster-info', namespace: 'kube-public' }, { data: {} }),
  ],
  Secret: secrets,
  ServiceAccount: (_, cluster) =>
    ['default', 'kube-system'].map((namespace) =>
      makeObject(cluster, 'ServiceAccount', 'v1', { name: 'default', namespace }),
    ),
  Service: (_, cluster) => [
    makeObject(
      cluster,
      'Service',
      'v1',
      { name: 'kubernetes', namespace: 'default' },
      { spec: { type: 'ClusterIP', clusterIP: '10.96.0.1' } },
    ),
    makeObject(
      cluster,
      'Service',
      'v1',
      { name: 'kube-dns', namespace: 'kube-system' },
      { spec: { type: 'ClusterIP', clusterIP: '10.96.0.10' } },
    ),
  ],
  DaemonSet: (world, cluster) =>
    ['kube-proxy', ...(cluster.cni ? ['cilium'] : [])].flatMap((name) =>
      cluster.complete ? [daemonSet(world, cluster, name)] : [],
    ),
  Deployment: (world, cluster) => [
    deployment(world, cluster, 'coredns', 2),
    ...(cluster.cni ? [deployment(world, cluster, 'cilium-operator', 1)] : []),
  ],
  Lease: (world, cluster) =>
    Object.values(cluster.nodes).map((kube) => {
      const seen = kube.lostAt ?? world.clock.elapsed();
      return makeObject(
        cluster,
        'Lease',
        'coordination.k8s.io/v1',
        { name: kube.name, namespace: 'kube-node-lease' },
        { spec: { holderIdentity: kube.name, leaseDurationSeconds: 40, renewTime: stamp(cluster, seen) } },
      );
    }),
  CiliumNode: (world, cluster) =>
    cluster.cni
      ? Object.values(cluster.nodes).map((kube) => {
          const podCidr = podCidrOf(world, cluster, kube);
          const content =
            podCidr === undefined
              ? { spec: { ipam: {} }, status: { ipam: { 'operator-status': { error: 'allocator full' } } } }
              : { spec: { ipam: { podCIDRs: [podCidr] } } };
          return makeObject(cluster, 'CiliumNode', 'cilium.io/v2', { name: kube.name }, content);
        })
      : [],
};

function makeObject(
  cluster: ClusterState,
  kindName: string,
  apiVersion: string,
  metadata: KubeObject['metadata'],
  rest: Readonly<Record<string, unknown>> = {},
): KubeObject {
  return {
    apiVersion,
    kind: kindName,
    metadata: { creationTimestamp: stamp(cluster, cluster.createdAt), ...metadata },
    ...rest,
  };
}

function secrets(world: World, cluster: ClusterState): readonly KubeObject[] {
  tendTokens(world, cluster);
  const now = world.clock.elapsed();
  const system = (name: string, type: string, labels: Record<string, string> = {}) =>
    makeObject(cluster, 'Secret', 'v1', { name, namespace: 'kube-system', labels }, { type, data: {} });
  const tokens = Object.keys(validTokens(cluster, now)).map((id) =>
    system(`bootstrap-token-${id}`, 'bootstrap.kubernetes.io/token'),
  );
  const certificates =
    cluster.certificates && cluster.certificates.expiresAt > now ? [system('kubeadm-certs', 'Opaque')] : [];
  const release = cluster.cni
    ? [
        system('sh.helm.release.v1.cilium.v1', 'helm.sh/release.v1', {
          name: 'cilium',
          owner: 'helm',
          status: 'deployed',
          version: '1',
        }),
      ]
    : [];
  return [...tokens, ...certificates, ...release];
}

function clusterConfiguration(cluster: ClusterState): string {
  return `apiServer:\n  timeoutForControlPlane: 4m0s\napiVersion: kubeadm.k8s.io/v1beta3\ncertificatesDir: /etc/kubernetes/pki\nclusterName: kubernetes\ncontrolPlaneEndpoint: ${cluster.endpoint}\ncontrollerManager: {}\ndns: {}\netcd:\n  local:\n    dataDir: /var/lib/etcd\nimageRepository: ${cluster.imageRepository}\nkind: ClusterConfiguration\nkubernetesVersion: ${cluster.version}\nnetworking:\n  dnsDomain: ${cluster.dnsDomain}\n  podSubnet: ${cluster.podSubnet}\n  serviceSubnet: ${cluster.serviceSubnet}\nscheduler: {}\n`;
}

function daemonSet(world: World, cluster: ClusterState, name: string): KubeObject {
  const pods = podsOf(world, cluster).filter((pod) => pod.owner === 'DaemonSet' && pod.ownerName === name);
  const ready = pods.filter((pod) => pod.ready).length;
  return makeObject(
    cluster,
    'DaemonSet',
    'apps/v1',
    { name, namespace: 'kube-system' },
    {
      status: {
        desiredNumberScheduled: pods.length,
        currentNumberScheduled: pods.length,
        updatedNumberScheduled: pods.length,
        numberReady: ready,
        numberAvailable: ready,
        numberUnavailable: pods.length - ready,
        observedGeneration: 1,
      },
    },
  );
}

function deployment(world: World, cluster: ClusterState, name: string, replicas: number): KubeObject {
  const ready = podsOf(world, cluster).filter((pod) => pod.ownerName.startsWith(`${name}-`) && pod.ready).length;
  return makeObject(
    cluster,
    'Deployment',
    'apps/v1',
    { name, namespace: 'kube-system' },
    {
      spec: { replicas },
      status: {
        replicas,
        updatedReplicas: replicas,
        readyReplicas: ready,
        availableReplicas: ready,
        observedGeneration: 1,
      },
    },
  );
}

function nodeObject(world: World, cluster: ClusterState, kube: KubeNode): KubeObject {
  const state = readinessOf(world, cluster, kube);
  const host = world.nodes.get(kube.server);
  const machine = host?.state;
  const containerd = host && installedProgram(host, 'containerd')?.version;
  const heartbeat = stamp(cluster, kube.lostAt ?? world.clock.elapsed());
  const other = state.ready === 'Unknown' ? 'Unknown' : 'False';
  const readiness = {
    True: { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status. AppArmor enabled' },
    False: {
      status: 'False',
      reason: 'KubeletNotReady',
      message:
        'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
    },
    Unknown: { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
  }[state.ready];
  const pressure = (type: string, reason: string) => ({
    type,
    status: other,
    reason: state.ready === 'Unknown' ? 'NodeStatusUnknown' : reason,
    lastHeartbeatTime: heartbeat,
  });
  const taints = [
    ...kube.taints,
    ...(kube.unschedulable ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : []),
    ...(state.ready === 'False' ? [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] : []),
    ...(state.ready === 'Unknown'
      ? [
          { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
        ]
      : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: kube.name,
      uid: kube.uid,
      creationTimestamp: stamp(cluster, kube.createdAt),
      labels: kube.labels,
      annotations: kube.annotations,
    },
    spec: { ...(taints.length > 0 ? { taints } : {}), ...(kube.unschedulable ? { unschedulable: true } : {}) },
    status: {
      addresses: [
        { type: 'InternalIP', address: kube.internalIp },
        { type: 'Hostname', address: kube.name },
      ],
      capacity: {
        cpu: String(machine?.machine.flavor.vcpus ?? 2),
        memory: `${(machine?.machine.flavor.ramMb ?? 4096) * 1024}Ki`,
        pods: '110',
      },
      conditions: [
        pressure('MemoryPressure', 'KubeletHasSufficientMemory'),
        pressure('DiskPressure', 'KubeletHasNoDiskPressure'),
        pressure('PIDPressure', 'KubeletHasSufficientPID'),
        { type: 'Ready', ...readiness, lastHeartbeatTime: heartbeat, lastTransitionTime: heartbeat },
      ],
      nodeInfo: {
        machineID: machine?.machineId ?? '',
        systemUUID: kube.server,
        bootID: machine?.bootId ?? '',
        kernelVersion: '5.15.0-101-generic',
        osImage: 'Ubuntu 22.04.4 LTS',
        containerRuntimeVersion: `containerd://${containerd ?? ''}`,
        kubeletVersion: kube.version,
        kubeProxyVersion: kube.version,
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  };
}
