import { randomUUID } from 'node:crypto';
import type { World } from '../world.ts';
import type { ClusterState, KubeObject } from './clusters.ts';
import { readinessOf } from './kube-nodes.ts';
import { pullFor } from './kubelet-pulls.ts';
import { keepsApart } from './pod-anti-affinity.ts';
import { shortHash } from './pods.ts';
import { stamp } from './time.ts';

/** The deployment controller and the scheduler: pods for deployments, and a node for every pod that has none. */

type Labels = Readonly<Record<string, string>>;

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: { readonly metadata?: { readonly labels?: Labels }; readonly spec?: object };
}

/** Makes pods match their deployments. It runs at each request to the API server, so no client sees a state between. */
export function tendWorkloads(world: World, cluster: ClusterState): void {
  let different = false;
  for (const deployment of ofKind(cluster, 'Deployment'))
    different = tendDeployment(world, cluster, deployment) || different;
  for (const pod of ofKind(cluster, 'Pod')) {
    different = dropOrphan(cluster, pod) || schedule(world, cluster, pod) || different;
    different = pull(world, cluster, keyOf(pod)) || different;
  }
  if (different) world.clusters.changed(cluster);
}

const ofKind = (cluster: ClusterState, kind: string): readonly KubeObject[] =>
  Object.values(cluster.objects).filter((object) => object.kind === kind);

const keyOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.namespace ?? 'default'}/${metadata.name}`;

const podSpec = (pod: KubeObject) => (pod['spec'] ?? {}) as { readonly nodeName?: string };

/** The name of a deployment's replica set. */
export const replicaSetOf = ({ metadata }: KubeObject): string =>
  `${metadata.name}-${shortHash(`${metadata.uid ?? ''}${metadata.name}`, 10)}`;

/** Returns the pods of a deployment, including those that wait for a node. */
function podsOfDeployment(cluster: ClusterState, deployment: KubeObject): readonly KubeObject[] {
  const owner = replicaSetOf(deployment);
  return ofKind(cluster, 'Pod').filter(
    (pod) => pod.metadata.namespace === deployment.metadata.namespace && ownerOf(pod)?.name === owner,
  );
}

function ownerOf({ metadata }: KubeObject): { readonly kind: string; readonly name: string } | undefined {
  const { ownerReferences = [] } = metadata as {
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  return ownerReferences[0];
}

function tendDeployment(world: World, cluster: ClusterState, deployment: KubeObject): boolean {
  const { replicas = 1 } = (deployment['spec'] ?? {}) as DeploymentSpec;
  const pods = podsOfDeployment(cluster, deployment);
  for (const pod of pods.slice(replicas)) delete cluster.objects[keyOf(pod)];
  for (let missing = replicas - pods.length; missing > 0; missing -= 1) {
    const pod = makeReplica(world, cluster, deployment);
    cluster.objects[keyOf(pod)] = pod;
  }
  return pods.length !== replicas;
}

function makeReplica(world: World, cluster: ClusterState, deployment: KubeObject): KubeObject {
  const { template } = (deployment['spec'] ?? {}) as DeploymentSpec;
  const owner = replicaSetOf(deployment);
  const uid = randomUUID();
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner}-${shortHash(uid)}`,
      namespace: deployment.metadata.namespace ?? 'default',
      uid,
      labels: { ...template?.metadata?.labels, 'pod-template-hash': owner.slice(deployment.metadata.name.length + 1) },
      creationTimestamp: stamp(cluster, world.clock.elapsed()),
      ...{ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, controller: true }] },
    },
    spec: { ...template?.spec },
  };
}

/** Deletes a pod whose deployment or node is deleted. @returns whether it was deleted */
function dropOrphan(cluster: ClusterState, pod: KubeObject): boolean {
  const { nodeName } = podSpec(pod);
  const owner = ownerOf(pod);
  const isOrphan =
    owner?.kind === 'ReplicaSet' &&
    !ofKind(cluster, 'Deployment').some(
      (deployment) =>
        deployment.metadata.namespace === pod.metadata.namespace && replicaSetOf(deployment) === owner.name,
    );
  if (!isOrphan && (nodeName === undefined || nodeName in cluster.nodes)) return false;
  delete cluster.objects[keyOf(pod)];
  return true;
}

/** The kubelet of a pod's node pulls its image. */
function pull(world: World, cluster: ClusterState, key: string): boolean {
  const pod = cluster.objects[key];
  const status = pod && pullFor(world, cluster, pod);
  if (!pod || !status) return false;
  cluster.objects[key] = { ...pod, status: { ...(pod['status'] ?? {}), ...status } };
  return true;
}

/** Binds a pod to the Ready node with the fewest pods that accepts new ones. */
function schedule(world: World, cluster: ClusterState, pod: KubeObject): boolean {
  if (podSpec(pod).nodeName !== undefined) return false;
  const load = (name: string) => ofKind(cluster, 'Pod').filter((other) => podSpec(other).nodeName === name).length;
  const [target] = Object.values(cluster.nodes)
    .filter(
      (kube) => !kube.unschedulable && kube.taints.length === 0 && readinessOf(world, cluster, kube).ready === 'True',
    )
    .filter((kube) => keepsApart(cluster, pod, kube))
    .map((kube) => ({ name: kube.name, load: load(kube.name) }))
    .toSorted((left, right) => left.load - right.load);
  if (!target) return false;
  cluster.objects[keyOf(pod)] = {
    ...pod,
    spec: { ...podSpec(pod), nodeName: target.name },
    status: { startedAt: world.clock.elapsed() },
  };
  return true;
}
