import type { ClusterState, KubeNode, KubeObject } from './clusters.ts';

/** One rule of `podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution`. */
interface Term {
  readonly topologyKey: string;
  readonly labelSelector?: {
    readonly matchLabels?: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly Expression[];
  };
  readonly namespaces?: readonly string[];
}

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface PodSpec {
  readonly nodeName?: string;
  readonly affinity?: {
    readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly Term[] };
  };
}

/**
 * Whether the anti-affinity of a pod, and that of the pods that run, allow it on a node. A node without the label of
 * the topology is in no topology: there nothing forbids the pod.
 */
export function keepsApart(cluster: ClusterState, pod: KubeObject, kube: KubeNode): boolean {
  return Object.values(cluster.objects)
    .filter(({ kind }) => kind === 'Pod')
    .every((other) => {
      const host = cluster.nodes[specOf(other).nodeName ?? ''];
      if (!host) return true;
      const forbids = (term: Term) => sharesTopology(term, host, kube);
      return !(
        termsOf(pod).some((term) => matches(term, pod, other) && forbids(term)) ||
        termsOf(other).some((term) => matches(term, other, pod) && forbids(term))
      );
    });
}

const specOf = (pod: KubeObject) => (pod['spec'] ?? {}) as PodSpec;

const termsOf = (pod: KubeObject): readonly Term[] =>
  specOf(pod).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

function sharesTopology({ topologyKey }: Term, one: KubeNode, other: KubeNode): boolean {
  const value = one.labels[topologyKey];
  return value !== undefined && value === other.labels[topologyKey];
}

/** Whether a rule of `owner` is about the pod `other`. A rule without a selector is about no pod. */
function matches({ labelSelector, namespaces }: Term, owner: KubeObject, other: KubeObject): boolean {
  const namespaceOf = ({ metadata }: KubeObject) => metadata.namespace ?? 'default';
  if (!(namespaces ?? [namespaceOf(owner)]).includes(namespaceOf(other))) return false;
  if (!labelSelector) return false;
  const labels = other.metadata.labels ?? {};
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((expression) => holds(expression, labels[expression.key]))
  );
}

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
