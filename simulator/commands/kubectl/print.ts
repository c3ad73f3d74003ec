import { stringify } from 'yaml';
import type { ClusterState, KubeObject } from '../../world/cluster/clusters.ts';
import type { Kind } from '../../world/cluster/kinds.ts';
import { formatAge } from '../../world/cluster/time.ts';
import type { World } from '../../world/world.ts';
import { failure, type Output, ok } from '../shell/command.ts';
import { JsonPathError, renderJsonPath } from './jsonpath.ts';

export interface PrintOptions {
  readonly output: string | undefined;
  readonly allNamespaces: boolean;
  readonly namespace: string;
  readonly showLabels: boolean;
  readonly noHeaders: boolean;
  readonly labelColumns: readonly string[];
  /** True when the command names one object; the output is then no list. */
  readonly single: boolean;
  readonly world: World;
  readonly cluster: ClusterState;
}

interface Column {
  readonly title: string;
  readonly wide?: boolean;
  readonly cell: (object: KubeObject, options: PrintOptions) => string;
}

type Json = Readonly<Record<string, unknown>>;

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) => (found !== null && typeof found === 'object' ? (found as Json)[key] : undefined),
    value,
  );
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

function nodeStatus(object: KubeObject): string {
  const ready = list(at(object, 'status', 'conditions')).find(({ type }) => type === 'Ready');
  const word = ready?.['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(object, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

/** The reason why the container waits stands where the phase would. */
function podStatus(object: KubeObject): string {
  const [container] = list(at(object, 'status', 'containerStatuses'));
  const reason = (container as { readonly state?: { readonly waiting?: { readonly reason?: string } } } | undefined)
    ?.state?.waiting?.reason;
  return reason ?? text(at(object, 'status', 'phase'));
}

function roles(object: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const found = Object.keys(object.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return (
    found
      .map((label) => label.slice(prefix.length))
      .sort()
      .join(',') || '<none>'
  );
}

const name: Column = { title: 'NAME', cell: (object) => object.metadata.name };
const ageColumn: Column = {
  title: 'AGE',
  cell: (object, { world, cluster }) =>
    formatAge(world, cluster, object.metadata.creationTimestamp ?? cluster.createdIso),
};
const address = (object: KubeObject, type: string) =>
  text(list(at(object, 'status', 'addresses')).find((entry) => entry['type'] === type)?.['address']) || '<none>';
const info = (key: string) => (object: KubeObject) => text(at(object, 'status', 'nodeInfo', key));

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Node: [
    name,
    { title: 'STATUS', cell: nodeStatus },
    { title: 'ROLES', cell: roles },
    ageColumn,
    { title: 'VERSION', cell: info('kubeletVersion') },
    { title: 'INTERNAL-IP', wide: true, cell: (object) => address(object, 'InternalIP') },
    { title: 'EXTERNAL-IP', wide: true, cell: (object) => address(object, 'ExternalIP') },
    { title: 'OS-IMAGE', wide: true, cell: info('osImage') },
    { title: 'KERNEL-VERSION', wide: true, cell: info('kernelVersion') },
    { title: 'CONTAINER-RUNTIME', wide: true, cell: info('containerRuntimeVersion') },
  ],
  Pod: [
    name,
    {
      title: 'READY',
      cell: (object) =>
        `${list(at(object, 'status', 'containerStatuses')).filter(({ ready }) => ready === true).length}/1`,
    },
    { title: 'STATUS', cell: podStatus },
    { title: 'RESTARTS', cell: () => '0' },
    ageColumn,
    { title: 'NODE', wide: true, cell: (object) => text(at(object, 'spec', 'nodeName')) || '<none>' },
  ],
  Namespace: [name, { title: 'STATUS', cell: () => 'Active' }, ageColumn],
  DaemonSet: [
    name,
    ...(
      [
        'desiredNumberScheduled',
        'currentNumberScheduled',
        'numberReady',
        'updatedNumberScheduled',
        'numberAvailable',
      ] as const
    ).map(
      (key, index): Column => ({
        title: ['DESIRED', 'CURRENT', 'READY', 'UP-TO-DATE', 'AVAILABLE'][index] ?? '',
        cell: (object) => text(at(object, 'status', key)),
      }),
    ),
    ageColumn,
  ],
  Deployment: [
    name,
    {
      title: 'READY',
      cell: (object) =>
        `${text(at(object, 'status', 'readyReplicas') ?? 0)}/${text(at(object, 'spec', 'replicas') ?? 1)}`,
    },
    { title: 'UP-TO-DATE', cell: (object) => text(at(object, 'status', 'updatedReplicas') ?? 0) },
    { title: 'AVAILABLE', cell: (object) => text(at(object, 'status', 'availableReplicas') ?? 0) },
    ageColumn,
  ],
  PodDisruptionBudget: [
    name,
    { title: 'MIN AVAILABLE', cell: (object) => text(at(object, 'spec', 'minAvailable') ?? 'N/A') },
    { title: 'MAX UNAVAILABLE', cell: (object) => text(at(object, 'spec', 'maxUnavailable') ?? 'N/A') },
    { title: 'ALLOWED DISRUPTIONS', cell: (object) => text(at(object, 'status', 'disruptionsAllowed')) },
    ageColumn,
  ],
  Secret: [
    name,
    { title: 'TYPE', cell: (object) => text(object['type']) },
    { title: 'DATA', cell: (object) => String(Object.keys((object['data'] as Json | undefined) ?? {}).length) },
    ageColumn,
  ],
};

/** Prints objects in the format of `-o`. */
export function print(objects: readonly KubeObject[], { kind, plural, group }: Kind, options: PrintOptions): Output {
  const { output } = options;
  const value = options.single
    ? objects[0]
    : { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } };
  if (output === undefined || output === 'wide') return ok(table(objects, kind, options));
  if (output === 'json') return ok(`${JSON.stringify(value, null, 4)}\n`);
  if (output === 'yaml') return ok(stringify(value));
  if (output === 'name') {
    const prefix = group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
    return ok(objects.map((object) => `${prefix}/${object.metadata.name}\n`).join(''));
  }
  if (output.startsWith('jsonpath=')) {
    try {
      const template = output.slice('jsonpath='.length);
      return ok(renderJsonPath(template.startsWith('{') || template.includes('{') ? template : `{${template}}`, value));
    } catch (error) {
      if (error instanceof JsonPathError)
        return failure(1, `error: error parsing jsonpath ${output.slice(9)}, ${error.message}`);
      throw error;
    }
  }
  if (output.startsWith('custom-columns='))
    return ok(customColumns(objects, output.slice('custom-columns='.length), options.noHeaders));
  return failure(
    1,
    `error: unable to match a printer suitable for the output format "${output}", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml (${plural})`,
  );
}

function table(objects: readonly KubeObject[], kind: string, options: PrintOptions): string {
  if (objects.length === 0) return '';
  const wide = options.output === 'wide';
  const columns = (COLUMNS[kind] ?? [name, ageColumn]).filter((column) => wide || !column.wide);
  const all: readonly Column[] = [
    ...(options.allNamespaces
      ? [{ title: 'NAMESPACE', cell: (object: KubeObject) => object.metadata.namespace ?? '' }]
      : []),
    ...columns,
    ...options.labelColumns.map(
      (label): Column => ({
        title: (label.split('/').at(-1) ?? label).toUpperCase(),
        cell: (object) => object.metadata.labels?.[label] ?? '',
      }),
    ),
    ...(options.showLabels
      ? [
          {
            title: 'LABELS',
            cell: (object: KubeObject) =>
              Object.entries(object.metadata.labels ?? {})
                .toSorted()
                .map(([key, value]) => `${key}=${value}`)
                .join(',') || '<none>',
          },
        ]
      : []),
  ];
  const rows = objects.map((object) => all.map((column) => column.cell(object, options)));
  return layout(options.noHeaders ? rows : [all.map(({ title }) => title), ...rows]);
}

/** Lays out columns like kubectl: each is as wide as its widest cell plus three spaces. */
function layout(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  return rows
    .map((row) =>
      row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd((widths[index] ?? 0) + 3))).join(''),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function customColumns(objects: readonly KubeObject[], spec: string, noHeaders: boolean): string {
  const columns = spec.split(',').map((column) => {
    const colon = column.indexOf(':');
    return { title: column.slice(0, colon), path: column.slice(colon + 1) };
  });
  const rows = objects.map((object) =>
    columns.map(({ path }) => renderJsonPath(`{${path.startsWith('.') ? path : `.${path}`}}`, object) || '<none>'),
  );
  return layout(noHeaders ? rows : [columns.map(({ title }) => title), ...rows]);
}
