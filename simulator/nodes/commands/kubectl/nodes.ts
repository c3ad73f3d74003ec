import type { KubeNode } from '../../cluster/clusters.ts';
import { readinessOf } from '../../cluster/kube-nodes.ts';
import { type Pod, podsOf } from '../../cluster/pods.ts';
import { type Arguments, type CommandContext, failure, type Output, ok } from '../../shell/command.ts';
import { goDuration } from '../kubeadm/config.ts';
import type { Connection } from './connection.ts';
import { matchesLabels } from './selection.ts';

/** Verbs that change nodes: label, annotate, taint, cordon, uncordon, drain. */

interface Scope {
  readonly context: CommandContext;
  readonly connection: Connection;
  readonly parsed: Arguments;
}

function notFound(name: string): Output {
  return failure(1, `Error from server (NotFound): nodes "${name}" not found`);
}

function changed({ context, connection }: Scope): void {
  connection.cluster.etcd.revision += 1;
  context.world.clusters.changed(connection.cluster);
}

/** `node NAME…`, `node/NAME`, `nodes --all`, `-l SELECTOR`. @returns the nodes and the operands that follow */
function chosen(
  { connection, parsed }: Scope,
  operands: readonly string[],
): { nodes: readonly KubeNode[]; rest: readonly string[] } | Output {
  const [first = '', ...more] = operands;
  const slash = /^(?:nodes?|no)\/(.+)$/.exec(first);
  const words = slash?.[1] !== undefined ? [slash[1], ...more] : /^(nodes?|no)$/.test(first) ? more : operands;
  const all = Object.values(connection.cluster.nodes);
  const selector = parsed.value('-l', '--selector');
  const isChange = (word: string) => word.includes('=') || /-$/.test(word);
  const rest = words.filter(isChange);
  if (parsed.has('--all') || selector !== undefined) {
    return { nodes: all.filter((kube) => selector === undefined || matchesLabels(kube.labels, selector)), rest };
  }
  const names = words.filter((word) => !isChange(word));
  const nodes: KubeNode[] = [];
  for (const name of names) {
    const kube = connection.cluster.nodes[name];
    if (!kube) return notFound(name);
    nodes.push(kube);
  }
  return { nodes, rest };
}

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

export function label(operands: readonly string[], scope: Scope, field: 'labels' | 'annotations'): Output {
  const found = chosen(scope, operands);
  if (!('nodes' in found)) return found;
  const word = field === 'labels' ? 'labeled' : 'annotated';
  let stdout = '';
  for (const kube of found.nodes) {
    let different = false;
    for (const change of found.rest) {
      if (change.endsWith('-') && !change.includes('=')) {
        different ||= change.slice(0, -1) in kube[field];
        delete kube[field][change.slice(0, -1)];
        continue;
      }
      const equals = change.indexOf('=');
      const [key, value] = [change.slice(0, equals), change.slice(equals + 1)];
      if (field === 'labels' && (!LABEL_VALUE.test(value) || value.length > 63)) {
        return failure(
          1,
          `error: invalid label value: "${change}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
          stdout,
        );
      }
      const old = kube[field][key];
      if (old !== undefined && old !== value && !scope.parsed.has('--overwrite')) {
        return failure(1, `error: '${key}' already has a value (${old}), and --overwrite is false`, stdout);
      }
      different ||= old !== value;
      kube[field][key] = value;
    }
    stdout += `node/${kube.name} ${different ? word : `not ${word}`}\n`;
  }
  changed(scope);
  return ok(stdout);
}

export function taint(operands: readonly string[], scope: Scope): Output {
  const found = chosen(scope, operands);
  if (!('nodes' in found)) return found;
  let stdout = '';
  for (const kube of found.nodes) {
    for (const change of found.rest) {
      const removal = change.endsWith('-');
      const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(\w+))?-?$/.exec(change) ?? [];
      const same = (one: { key: string; effect: string }) =>
        one.key === key && (effect === undefined || one.effect === effect);
      if (removal) {
        if (!kube.taints.some(same)) return failure(1, `error: taint "${change.slice(0, -1)}" not found`, stdout);
        kube.taints = kube.taints.filter((one) => !same(one));
        stdout += `node/${kube.name} untainted\n`;
      } else {
        if (effect === undefined) return failure(1, `error: invalid taint spec: ${change}`, stdout);
        kube.taints = [
          ...kube.taints.filter((one) => !same(one)),
          { key, ...(value === undefined ? {} : { value }), effect },
        ];
        stdout += `node/${kube.name} tainted\n`;
      }
    }
  }
  changed(scope);
  return ok(stdout);
}

export function cordon(operands: readonly string[], scope: Scope, unschedulable: boolean): Output {
  const found = chosen(scope, operands);
  if (!('nodes' in found)) return found;
  const word = unschedulable ? 'cordoned' : 'uncordoned';
  let stdout = '';
  for (const kube of found.nodes) {
    stdout += `node/${kube.name} ${kube.unschedulable === unschedulable ? 'already ' : ''}${word}\n`;
    kube.unschedulable = unschedulable;
  }
  changed(scope);
  return ok(stdout);
}

const EVICTION_SECONDS = 2;
const EVICTION_RETRY_SECONDS = 5;

/** Evicts every pod but those of DaemonSets and mirror pods; waits while a disruption budget forbids it. */
export async function drain(operands: readonly string[], scope: Scope): Promise<Output> {
  const { context, connection, parsed } = scope;
  const found = chosen(scope, operands);
  if (!('nodes' in found)) return found;
  const limit = goDuration(parsed.value('--timeout') ?? '0s');
  const until = limit === 0 ? Number.POSITIVE_INFINITY : context.world.clock.elapsed() + limit;
  let stdout = cordon(operands, scope, true).stdout ?? '';
  let stderr = '';
  for (const kube of found.nodes) {
    const pods = podsOf(context.world, connection.cluster).filter(
      (pod) => pod.node === kube.name && pod.owner !== 'Node',
    );
    const daemons = pods.filter((pod) => pod.owner === 'DaemonSet');
    const bare = pods.filter((pod) => pod.owner === 'none');
    const named = (list: readonly Pod[]) => list.map((pod) => `${pod.namespace}/${pod.name}`).join(', ');
    if (daemons.length > 0 && !parsed.has('--ignore-daemonsets')) {
      return failure(
        1,
        `error: unable to drain node "${kube.name}" due to error:cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${named(daemons)}, continuing command...\nThere are pending nodes to be drained:\n ${kube.name}\ncannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${named(daemons)}`,
        stdout,
      );
    }
    if (bare.length > 0 && !parsed.has('--force')) {
      return failure(
        1,
        `error: unable to drain node "${kube.name}" due to error:cannot delete Pods declare no controller (use --force to override): ${named(bare)}, continuing command...\nThere are pending nodes to be drained:\n ${kube.name}\ncannot delete Pods declare no controller (use --force to override): ${named(bare)}`,
        stdout,
      );
    }
    if (daemons.length > 0) stderr += `Warning: ignoring DaemonSet-managed Pods: ${named(daemons)}\n`;
    for (const pod of pods.filter(({ owner }) => owner !== 'DaemonSet')) {
      stdout += `evicting pod ${pod.namespace}/${pod.name}\n`;
      while (!parsed.has('--disable-eviction') && forbidsEviction(scope, pod)) {
        stderr += `error when evicting pods/"${pod.name}" -n "${pod.namespace}" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.\n`;
        if (context.world.clock.elapsed() + EVICTION_RETRY_SECONDS > until) {
          return failure(
            1,
            `${stderr}There are pending nodes to be drained:\n ${kube.name}\nerror: unable to drain node "${kube.name}" due to error:error when evicting pods/"${pod.name}" -n "${pod.namespace}": global timeout reached: ${parsed.value('--timeout') ?? ''}, continuing command...`,
            stdout,
          );
        }
        await context.sleep(EVICTION_RETRY_SECONDS);
      }
      evict(scope, pod);
      stdout += `pod/${pod.name} evicted\n`;
    }
    await context.sleep(EVICTION_SECONDS);
    stdout += `node/${kube.name} drained\n`;
  }
  return { stdout, stderr, exitCode: 0 };
}

/** A budget that covers the pod and has nothing to give. */
function forbidsEviction({ context, connection }: Scope, pod: Pod): boolean {
  const budgets = Object.values(connection.cluster.objects).filter(
    (object) => object.kind === 'PodDisruptionBudget' && object.metadata.namespace === pod.namespace,
  );
  return budgets.some((budget) => {
    const spec = (budget['spec'] ?? {}) as {
      selector?: { matchLabels?: Record<string, string> };
      minAvailable?: number;
      maxUnavailable?: number;
    };
    const wanted = Object.entries(spec.selector?.matchLabels ?? {});
    const covers = (labels: Readonly<Record<string, string>>) => wanted.every(([key, value]) => labels[key] === value);
    if (!covers(pod.labels)) return false;
    const healthy = podsOf(context.world, connection.cluster).filter(
      (other) => other.namespace === pod.namespace && covers(other.labels) && other.ready,
    );
    if (spec.minAvailable !== undefined) return healthy.length - 1 < spec.minAvailable;
    return (spec.maxUnavailable ?? 1) < 1;
  });
}

/** A pod with a controller comes back on another node that takes it; a bare one is gone. */
function evict(scope: Scope, pod: Pod): void {
  const { cluster } = scope.connection;
  const key = `Pod/${pod.namespace}/${pod.name}`;
  const object = cluster.objects[key];
  if (!object) return;
  delete cluster.objects[key];
  const target = Object.values(cluster.nodes).find(
    (kube) =>
      kube.name !== pod.node &&
      !kube.unschedulable &&
      kube.taints.length === 0 &&
      readinessOf(scope.context.world, cluster, kube).ready === 'True',
  );
  if (pod.owner !== 'none') {
    cluster.objects[key] = {
      ...object,
      spec: { ...((object['spec'] as object | undefined) ?? {}), nodeName: target?.name },
    };
  }
  changed(scope);
}
