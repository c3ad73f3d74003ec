import { z } from 'zod';

/** Keys of the labels, as guide 002 has them: topology keys for the affinity of pods. */
const LABELS = { host: 'CIS-node', zone: 'kubernetes.io/zone' } as const;

/** A valid value of a Kubernetes label. */
const LABEL_VALUE = /^(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** The place where Nova runs a server. */
export interface ServerHost {
  /** Name of the compute host. Undefined when Nova hides it from this user. */
  readonly host: string | undefined;
  /** Stands for the compute host, and differs from project to project. Empty before the server is placed. */
  readonly hostId: string;
  /** Availability zone. Undefined when neither request nor grant names one for the server. */
  readonly zone: string | undefined;
}

export type NodeLabels = Readonly<Record<string, string>>;

/**
 * The labels of a worker. The name of a host that cannot be the value of a label (it has more than 63 characters, for
 * example) gives way to `hostId`; such a zone is left out.
 * @returns undefined while the server has no host
 */
export function hostLabels({ host, hostId, zone }: ServerHost): NodeLabels | undefined {
  const value = [host, hostId].find((text) => text !== undefined && LABEL_VALUE.test(text));
  if (value === undefined) return undefined;
  return { [LABELS.host]: value, ...(zone !== undefined && LABEL_VALUE.test(zone) ? { [LABELS.zone]: zone } : {}) };
}

/** A Node object, as far as labels need it. */
export interface LabelledNode {
  readonly name: string;
  readonly uid: string;
  readonly labels: NodeLabels;
}

/**
 * The template for `kubectl get nodes -o jsonpath=…`: a line of JSON for each node. It leaves out the images, which are
 * many.
 */
export const LABELLED_NODES = '{range .items[*]}["{.metadata.name}","{.metadata.uid}",{.metadata.labels}]{"\\n"}{end}';

const Line = z.tuple([z.string(), z.string(), z.record(z.string(), z.string())]);

/** Reads the answer to `LABELLED_NODES`. @throws z.ZodError, SyntaxError when it is something else */
export function readLabelledNodes(answer: string): LabelledNode[] {
  return answer
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      // kubectl prints nothing for labels that are not there
      const [name, uid, labels] = Line.parse(JSON.parse(line.replace(/,\]$/, ',{}]')));
      return { name, uid, labels };
    });
}

/**
 * The nodes whose labels differ from those that they should have, with the labels that they should have. A node that
 * the cluster does not have is left out.
 * @param wanted by the name of the node
 */
export function nodesToLabel(nodes: readonly LabelledNode[], wanted: ReadonlyMap<string, NodeLabels>): LabelledNode[] {
  return nodes.flatMap(({ name, uid, labels: present }) => {
    const labels = wanted.get(name);
    if (!labels || Object.entries(labels).every(([key, value]) => present[key] === value)) return [];
    return [{ name, uid, labels }];
  });
}

/**
 * The manifest for `kubectl apply --server-side -f -`: one command for all nodes. With its `uid` a node that has been
 * deleted meanwhile is not made anew.
 */
export function labelManifest(nodes: readonly LabelledNode[]): string {
  const items = nodes.map(({ name, uid, labels }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid, labels },
  }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
