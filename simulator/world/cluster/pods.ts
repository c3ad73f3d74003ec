import { createHash } from 'node:crypto';
import type { SimNode, World } from '../world.ts';
import type { ClusterState, KubeNode, KubeObject } from './clusters.ts';
import { clusterOnNode, memberRuns } from './etcd.ts';
import { agentIsReady, readinessOf } from './kube-nodes.ts';
import { pullStatusOf, waitingFor } from './pull-status.ts';
import { COMPONENTS, runsComponent } from './static-pods.ts';

export interface Pod {
  readonly name: string;
  readonly namespace: string;
  readonly node: string;
  readonly owner: 'DaemonSet' | 'ReplicaSet' | 'Node' | 'none';
  readonly ownerName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly ready: boolean;
  readonly phase: 'Running' | 'Pending';
  /** Why its container does not start: the image cannot be pulled. */
  readonly waiting?: { readonly reason: string; readonly message: string };
  readonly createdAt: number;
}

export function shortHash(text: string, length = 5): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const bytes = createHash('sha256').update(text).digest();
  return Array.from({ length }, (_, index) => alphabet[(bytes[index] ?? 0) % alphabet.length]).join('');
}

function isControlPlane(kube: KubeNode): boolean {
  return 'node-role.kubernetes.io/control-plane' in kube.labels;
}

/** Derives all pods of a cluster from what runs on its nodes. */
export function podsOf(world: World, cluster: ClusterState): readonly Pod[] {
  const kubes = Object.values(cluster.nodes);
  const pods: Pod[] = [];
  const repository = cluster.imageRepository;
  for (const kube of kubes) {
    const silent = readinessOf(world, cluster, kube).ready === 'Unknown';
    const node = world.nodes.get(kube.server);
    const system = { namespace: 'kube-system', node: kube.name, createdAt: kube.joinedAt };
    if (isControlPlane(kube)) {
      for (const component of COMPONENTS) {
        const up = !silent && node !== undefined && runsComponent(node, component);
        pods.push({
          ...system,
          name: `${component}-${kube.name}`,
          owner: 'Node',
          ownerName: kube.name,
          labels: { component, tier: 'control-plane' },
          image: `${repository}/${component}:${component === 'etcd' ? '3.5.6-0' : cluster.version}`,
          ready: up && (component !== 'etcd' || etcdRuns(world, cluster, kube)),
          phase: 'Running',
        });
      }
    }
    pods.push({
      ...system,
      name: `kube-proxy-${shortHash(`${kube.uid}proxy`)}`,
      owner: 'DaemonSet',
      ownerName: 'kube-proxy',
      labels: { 'k8s-app': 'kube-proxy' },
      image: `${repository}/kube-proxy:${cluster.version}`,
      ready: !silent,
      phase: 'Running',
    });
    if (cluster.cni) {
      pods.push({
        ...system,
        createdAt: Math.max(kube.joinedAt, cluster.cni.installedAt),
        name: `cilium-${shortHash(`${kube.uid}cilium`)}`,
        owner: 'DaemonSet',
        ownerName: 'cilium',
        labels: { 'k8s-app': 'cilium' },
        image: `quay.io/cilium/cilium:v${cluster.cni.version}`,
        ready: agentIsReady(world, cluster, kube),
        phase: agentIsReady(world, cluster, kube) ? 'Running' : 'Pending',
      });
    }
  }
  return [...pods, ...deployments(world, cluster, kubes), ...madePods(world, cluster)];
}

function etcdRuns(world: World, cluster: ClusterState, kube: KubeNode): boolean {
  const member = cluster.etcd.members.find(({ server }) => server === kube.server);
  return member !== undefined && memberRuns(world, cluster, member);
}

function deployments(world: World, cluster: ClusterState, kubes: readonly KubeNode[]): readonly Pod[] {
  const first = kubes.find((kube) => agentIsReady(world, cluster, kube) && !kube.unschedulable);
  const fallback = kubes.find(isControlPlane) ?? kubes[0];
  const place = first ?? fallback;
  if (!place) return [];
  const ready = first !== undefined;
  const replica = (name: string, index: number, image: string, labels: Record<string, string>): Pod => ({
    name: `${name}-${shortHash(cluster.id + name, 10)}-${shortHash(`${cluster.id}${name}${index}`)}`,
    namespace: 'kube-system',
    node: ready ? place.name : '',
    owner: 'ReplicaSet',
    ownerName: `${name}-${shortHash(cluster.id + name, 10)}`,
    labels,
    image,
    ready,
    phase: ready ? 'Running' : 'Pending',
    createdAt: cluster.createdAt,
  });
  const dns = [0, 1].map((index) =>
    replica('coredns', index, `${cluster.imageRepository}/coredns/coredns:v1.9.3`, { 'k8s-app': 'kube-dns' }),
  );
  if (!cluster.cni) return dns;
  const image = `quay.io/cilium/operator-generic:v${cluster.cni.version}`;
  return [...dns, replica('cilium-operator', 0, image, { 'io.cilium/app': 'operator', name: 'cilium-operator' })];
}

/** Time from the start of a pod on a node until it is Ready, simulated seconds. */
const START_SECONDS = 5;

/** Pods that were created with kubectl: bare ones and those of deployments. */
function madePods(world: World, cluster: ClusterState): readonly Pod[] {
  return Object.values(cluster.objects).flatMap((object) =>
    object.kind === 'Pod' ? [madePod(world, cluster, object)] : [],
  );
}

function madePod(world: World, cluster: ClusterState, object: KubeObject): Pod {
  const { nodeName, containers = [] } = (object['spec'] ?? {}) as {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly image?: string }[];
  };
  const { startedAt = cluster.createdAt } = (object['status'] ?? {}) as { readonly startedAt?: number };
  const { ownerReferences = [] } = object.metadata as {
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  const [owner] = ownerReferences;
  const kube = cluster.nodes[nodeName ?? ''];
  const { pulledAt } = pullStatusOf(object);
  const waiting = waitingFor(object);
  const runs = kube !== undefined && pulledAt !== undefined && world.clock.elapsed() >= startedAt + START_SECONDS;
  return {
    name: object.metadata.name,
    namespace: object.metadata.namespace ?? 'default',
    node: nodeName ?? '',
    owner: owner?.kind === 'ReplicaSet' || owner?.kind === 'DaemonSet' ? owner.kind : 'none',
    ownerName: owner?.name ?? '',
    labels: object.metadata.labels ?? {},
    image: containers[0]?.image ?? '',
    ready: runs && readinessOf(world, cluster, kube).ready !== 'Unknown',
    phase: runs ? 'Running' : 'Pending',
    createdAt: startedAt,
    ...(waiting ? { waiting } : {}),
  };
}

export function podObject(pod: Pod, cluster: ClusterState): KubeObject {
  const ownerReferences =
    pod.owner === 'none'
      ? []
      : [
          {
            apiVersion: pod.owner === 'Node' ? 'v1' : 'apps/v1',
            kind: pod.owner,
            name: pod.ownerName,
            controller: true,
          },
        ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      labels: pod.labels,
      ...(pod.owner === 'Node' ? { annotations: { 'kubernetes.io/config.mirror': shortHash(pod.name, 16) } } : {}),
      creationTimestamp: new Date(Date.parse(cluster.createdIso) + (pod.createdAt - cluster.createdAt) * 1000)
        .toISOString()
        .replace(/\.\d+Z$/, 'Z'),
      ...{ ownerReferences },
    },
    spec: { nodeName: pod.node, containers: [{ name: pod.ownerName || pod.name, image: pod.image }] },
    status: {
      phase: pod.phase,
      conditions: [{ type: 'Ready', status: pod.ready ? 'True' : 'False' }],
      containerStatuses: [
        {
          name: pod.ownerName || pod.name,
          ready: pod.ready,
          restartCount: 0,
          image: pod.image,
          ...(pod.waiting ? { state: { waiting: pod.waiting } } : {}),
        },
      ],
    },
  };
}

/** Lists the containers of one machine like its runtime. */
export function containersOf(node: SimNode): readonly { readonly id: string; readonly name: string }[] {
  const names = COMPONENTS.filter((component) => runsComponent(node, component));
  const cluster = clusterOnNode(node.world, node)?.cluster;
  const running = names.filter((component) => component !== 'etcd' || cluster !== undefined);
  return running.map((name) => ({
    name,
    id: createHash('sha256')
      .update(node.id + name)
      .digest('hex')
      .slice(0, 13),
  }));
}
