import type { KubeNode } from '../../world/cluster/clusters.ts';
import { type Arguments, type CommandContext, failure, type Output, ok } from '../shell/command.ts';
import type { Connection } from './connection.ts';
import { matchesLabels } from './selection.ts';

/** The verbs that change nodes: label, annotate, taint, cordon, uncordon. */

export interface NodesScope {
  readonly context: CommandContext;
  readonly connection: Connection;
  readonly parsed: Arguments;
}

function notFound(name: string): Output {
  return failure(1, `Error from server (NotFound): nodes "${name}" not found`);
}

function changed({ context, connection }: NodesScope): void {
  connection.cluster.etcd.revision += 1;
  context.world.clusters.changed(connection.cluster);
}

/**
 * Selects nodes by `node NAME…`, `node/NAME`, `nodes --all` or `-l SELECTOR`.
 * @returns the nodes and the operands that follow
 */
export function selectNodes(
  { connection, parsed }: NodesScope,
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
const LABEL_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const isLabelValue = (value: string): boolean => LABEL_VALUE.test(value) && value.length <= 63;

export function label(operands: readonly string[], scope: NodesScope, field: 'labels' | 'annotations'): Output {
  const found = selectNodes(scope, operands);
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
      if (field === 'labels' && !isLabelValue(value)) {
        return failure(1, `error: invalid label value: "${change}": ${LABEL_RULE}`, stdout);
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

export function taint(operands: readonly string[], scope: NodesScope): Output {
  const found = selectNodes(scope, operands);
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

export function cordon(operands: readonly string[], scope: NodesScope, unschedulable: boolean): Output {
  const found = selectNodes(scope, operands);
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

interface AppliedNode {
  readonly metadata: {
    readonly name: string;
    readonly uid?: unknown;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

/**
 * Applies the labels of a manifest to a node, as server-side apply does it: labels of this manager that the manifest
 * does not have any more are removed, and labels of other managers are only changed by force.
 */
export function applyNode({ metadata }: AppliedNode, scope: NodesScope): Output {
  const { name, uid, labels = {} } = metadata;
  const kube = scope.connection.cluster.nodes[name];
  if (!kube && uid !== undefined) {
    return failure(
      1,
      `Error from server (Conflict): Operation cannot be fulfilled on nodes "${name}": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  if (!kube) return failure(1, `error: the simulator makes Node objects for kubelets only, and not for "${name}"`);
  const invalid = (what: string) => failure(1, `The Node "${name}" is invalid: ${what}`);
  if (uid !== undefined && uid !== kube.uid)
    return invalid(`metadata.uid: Invalid value: "${uid}": field is immutable`);
  const manager = scope.parsed.value('--field-manager') ?? 'kubectl';
  const own = kube.appliedLabels?.[manager] ?? [];
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelValue(value)) return invalid(`metadata.labels: Invalid value: "${value}": ${LABEL_RULE}`);
    const isOfOther = kube.labels[key] !== undefined && kube.labels[key] !== value && !own.includes(key);
    if (isOfOther && !scope.parsed.has('--force-conflicts')) {
      const what = `conflict with "kubectl-label" using v1: .metadata.labels.${key}`;
      return failure(1, `error: Apply failed with 1 conflict: ${what}`);
    }
  }
  for (const key of own) if (!(key in labels)) delete kube.labels[key];
  Object.assign(kube.labels, labels);
  kube.appliedLabels = { ...kube.appliedLabels, [manager]: Object.keys(labels) };
  changed(scope);
  return ok(`node/${name} serverside-applied\n`);
}
