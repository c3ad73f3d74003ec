import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { KubeObject } from '../../world/cluster/clusters.ts';
import { type Kind, kindOf, objectKey } from '../../world/cluster/kinds.ts';
import { stamp } from '../../world/cluster/time.ts';
import { toText } from '../../world/files/bytes.ts';
import { failure, type Output, ok } from '../shell/command.ts';
import { forbidden } from './connection.ts';
import { applyNode } from './nodes.ts';
import type { Scope } from './scope.ts';

const List = z.object({ kind: z.literal('List'), items: z.array(z.unknown()) });
const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});

/** Runs `kubectl apply -f`, `kubectl create -f` and `kubectl create TYPE NAME`. */
export async function apply(verb: 'apply' | 'create', operands: readonly string[], scope: Scope): Promise<Output> {
  const { parsed, context, connection, namespace } = scope;
  const file = parsed.value('-f', '--filename');
  if (file === undefined) return createNamed(operands, scope);
  const text = toText(file === '-' ? await context.stdin() : context.files.read(context.path(file)));
  let stdout = '';
  for (const value of manifestsIn(text)) {
    const parsedManifest = Manifest.safeParse(value);
    if (!parsedManifest.success)
      return failure(
        1,
        `error: error validating "${file}": error validating data: ${parsedManifest.error.issues[0]?.message ?? ''}; if you choose to ignore these errors, turn validation off with --validate=false`,
        stdout,
      );
    const manifest = parsedManifest.data;
    const kind = kindOf(manifest.kind);
    if (!kind)
      return failure(
        1,
        `error: resource mapping not found for name: "${manifest.metadata.name}" namespace: "" from "${file}": no matches for kind "${manifest.kind}" in version "${manifest.apiVersion}"`,
        stdout,
      );
    const isNode = verb === 'apply' && kind.kind === 'Node';
    const refusal = forbidden(connection, isNode ? 'patch' : 'create', {
      plural: kind.plural,
      name: manifest.metadata.name,
      namespace: isNode ? undefined : namespace,
    });
    if (refusal) return refusal;
    if (isNode) {
      if (!parsed.has('--server-side')) return failure(1, 'error: the simulator applies nodes with --server-side only');
      const applied = applyNode(manifest, scope);
      if ((applied.exitCode ?? 0) !== 0) return { ...applied, stdout };
      stdout += applied.stdout ?? '';
      continue;
    }
    stdout += store(manifest as unknown as KubeObject, kind, { ...scope, verb });
  }
  return ok(stdout);
}

function manifestsIn(text: string): readonly unknown[] {
  return parseAllDocuments(text).flatMap((document): readonly unknown[] => {
    const value: unknown = 'toJSON' in document ? document.toJSON() : null;
    const list = List.safeParse(value);
    if (list.success) return list.data.items;
    return value === null ? [] : [value];
  });
}

/**
 * Stores an object like the API server, and acts for the controllers: tokens of service accounts, pods of deployments.
 */
function store(
  object: KubeObject,
  kind: Kind,
  { context, connection, namespace, verb }: Scope & { readonly verb: string },
): string {
  const { cluster } = connection;
  const where = kind.namespaced ? (object.metadata.namespace ?? namespace) : '';
  const key = objectKey(kind.kind, where, object.metadata.name);
  const existed = key in cluster.objects;
  const metadata = {
    ...object.metadata,
    ...(kind.namespaced ? { namespace: where } : {}),
    uid: cluster.objects[key]?.metadata.uid ?? randomUUID(),
    creationTimestamp:
      cluster.objects[key]?.metadata.creationTimestamp ?? stamp(cluster, context.world.clock.elapsed()),
  };
  // a manifest without data keeps the data that a controller wrote, such as the token of a Secret
  const data = object['data'] ?? cluster.objects[key]?.['data'];
  cluster.objects[key] = {
    ...object,
    ...(data === undefined ? {} : { data }),
    metadata,
  };
  cluster.etcd.revision += 1;
  context.world.clusters.changed(cluster);
  const group = kind.group === '' ? kind.kind.toLowerCase() : `${kind.kind.toLowerCase()}.${kind.group}`;
  return `${group}/${object.metadata.name} ${verb === 'create' || !existed ? 'created' : 'configured'}\n`;
}

function createNamed([type = '', name = '', ...rest]: readonly string[], scope: Scope): Output {
  const [short, last] = type === 'secret' ? ['Secret', rest[0] ?? name] : [kindOf(type)?.kind, name];
  const kind = short === undefined ? undefined : kindOf(short);
  if (!kind || last === undefined || last === '') return failure(1, `error: must specify one of -f and -k`);
  const key = objectKey(kind.kind, kind.namespaced ? scope.namespace : '', last);
  if (scope.connection.cluster.objects[key])
    return failure(1, `error: failed to create ${type}: ${kind.plural} "${last}" already exists`);
  const refusal = forbidden(scope.connection, 'create', {
    plural: kind.plural,
    name: last,
    namespace: scope.namespace,
  });
  if (refusal) return refusal;
  return ok(store({ apiVersion: 'v1', kind: kind.kind, metadata: { name: last } }, kind, { ...scope, verb: 'create' }));
}
