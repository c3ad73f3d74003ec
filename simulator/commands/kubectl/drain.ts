import type { KubeNode } from '../../world/cluster/clusters.ts';
import { evictionAnswer } from '../../world/cluster/disruption-budgets.ts';
import { readinessOf } from '../../world/cluster/kube-nodes.ts';
import { type Pod, podsOf } from '../../world/cluster/pods.ts';
import { tendWorkloads } from '../../world/cluster/workloads.ts';
import { goDuration } from '../kubeadm/config.ts';
import { failure, type Output } from '../shell/command.ts';
import { cordon, type NodesScope, selectNodes } from './nodes.ts';

/** Time from an eviction until the kubelet has ended the containers, simulated seconds. */
const TERMINATION_SECONDS = 2;
const RETRY_SECONDS = 5;

interface Draining {
  readonly scope: NodesScope;
  /** Simulated time at which kubectl gives up. */
  readonly until: number;
  /** The output so far, in the order of the lines. */
  readonly said: { stdout: string; stderr: string };
}

/**
 * Runs `kubectl drain`: evicts all pods of a node at once, except mirror pods and pods of DaemonSets, and waits while a
 * budget forbids an eviction.
 */
export async function drain(operands: readonly string[], scope: NodesScope): Promise<Output> {
  const found = selectNodes(scope, operands);
  if (!('nodes' in found)) return found;
  const { clock } = scope.context.world;
  const limit = goDuration(scope.parsed.value('--timeout') ?? '0s');
  const until = limit === 0 ? Number.POSITIVE_INFINITY : clock.elapsed() + limit;
  const said = { stdout: cordon(operands, scope, true).stdout ?? '', stderr: '' };
  for (const kube of found.nodes) {
    const problem = refusal(kube, scope, said) ?? (await empty(kube, { scope, until, said }));
    if (problem === undefined) {
      said.stdout += `node/${kube.name} drained\n`;
      continue;
    }
    const pending = found.nodes.slice(found.nodes.indexOf(kube)).map(({ name }) => ` ${name}\n`);
    const head = `error: unable to drain node "${kube.name}" due to error:${problem}, continuing command...\n`;
    const text = `${said.stderr}${head}There are pending nodes to be drained:\n${pending.join('')}${problem}`;
    return failure(1, text, said.stdout);
  }
  return { ...said, exitCode: 0 };
}

const named = (pods: readonly Pod[]) => pods.map((pod) => `${pod.namespace}/${pod.name}`).join(', ');

function podsOn({ context, connection }: NodesScope, kube: KubeNode): readonly Pod[] {
  return podsOf(context.world, connection.cluster).filter((pod) => pod.node === kube.name && pod.owner !== 'Node');
}

/** Returns why kubectl refuses to drain a node. Undefined when it begins. */
function refusal(kube: KubeNode, scope: NodesScope, said: Draining['said']): string | undefined {
  const pods = podsOn(scope, kube);
  const daemons = pods.filter(({ owner }) => owner === 'DaemonSet');
  const bare = pods.filter(({ owner }) => owner === 'none');
  if (daemons.length > 0 && !scope.parsed.has('--ignore-daemonsets'))
    return `cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${named(daemons)}`;
  if (bare.length > 0 && !scope.parsed.has('--force'))
    return `cannot delete Pods declare no controller (use --force to override): ${named(bare)}`;
  const warnings = [
    ...(bare.length > 0 ? [`deleting Pods that declare no controller: ${named(bare)}`] : []),
    ...(daemons.length > 0 ? [`ignoring DaemonSet-managed Pods: ${named(daemons)}`] : []),
  ];
  if (warnings.length > 0) said.stderr += `Warning: ${warnings.join('; ')}\n`;
  return undefined;
}

/** Evicts the pods of a node. @returns the first problem, or undefined when all pods are gone */
async function empty(kube: KubeNode, draining: Draining): Promise<string | undefined> {
  const pods = podsOn(draining.scope, kube).filter(({ owner }) => owner !== 'DaemonSet');
  const problems = await Promise.all(pods.map((pod) => leave(kube, pod, draining)));
  return problems.find((problem) => problem !== undefined);
}

async function leave(kube: KubeNode, pod: Pod, { scope, until, said }: Draining): Promise<string | undefined> {
  const { context, connection, parsed } = scope;
  const { world } = context;
  const { cluster } = connection;
  const timeout = `global timeout reached: ${parsed.value('--timeout') ?? ''}`;
  const evicts = !parsed.has('--disable-eviction');
  said.stdout += `${evicts ? 'evicting' : 'deleting'} pod ${pod.namespace}/${pod.name}\n`;
  for (;;) {
    const answer = evicts ? evictionAnswer(world, cluster, pod) : 'evicted';
    if (answer === 'evicted') break;
    const where = `error when evicting pods/"${pod.name}" -n "${pod.namespace}"`;
    if (answer === 'more-than-one-budget')
      return `${where}: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`;
    said.stderr += `${where} (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.\n`;
    if (world.clock.elapsed() + RETRY_SECONDS > until) return `${where}: ${timeout}`;
    await context.sleep(RETRY_SECONDS);
    tendWorkloads(world, cluster);
  }
  const silent = readinessOf(world, cluster, kube).ready === 'Unknown';
  const patience = silent ? Number(parsed.value('--skip-wait-for-delete-timeout') ?? 0) : TERMINATION_SECONDS;
  // No kubelet ends the containers of a dead machine: kubectl waits for the pod until its own timeout.
  if (silent && patience === 0) {
    await context.sleep(Math.min(until - world.clock.elapsed(), 86_400));
    return `error when waiting for pod "${pod.name}" terminating: ${timeout}`;
  }
  remove(scope, pod);
  await context.sleep(patience);
  tendWorkloads(world, cluster);
  said.stdout += silent
    ? `pod ${pod.namespace}/${pod.name} has DeletionTimestamp older than ${patience} seconds, skipping\n`
    : `pod/${pod.name} ${evicts ? 'evicted' : 'deleted'}\n`;
  return undefined;
}

/** Deletes the pod. Its controller, if it has one, makes another one. */
function remove({ context, connection: { cluster } }: NodesScope, pod: Pod): void {
  delete cluster.objects[`Pod/${pod.namespace}/${pod.name}`];
  tendWorkloads(context.world, cluster);
  cluster.etcd.revision += 1;
  context.world.clusters.changed(cluster);
}
