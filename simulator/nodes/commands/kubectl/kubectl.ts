import { randomUUID } from 'node:crypto';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { ClusterState, KubeObject } from '../../cluster/clusters.ts';
import { readyz } from '../../cluster/endpoints.ts';
import { stamp } from '../../cluster/time.ts';
import { toText } from '../../files/bytes.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from '../../shell/command.ts';
import { installedProgram } from '../../shell/shell.ts';
import { etcdctl } from '../etcdctl.ts';
import { goDuration } from '../kubeadm/config.ts';
import { type Connection, connect, forbidden } from './connection.ts';
import { cordon, drain, label, taint } from './nodes.ts';
import { print } from './print.ts';
import { type Kind, kindOf, objectKey, objectsOf } from './resources.ts';
import { matchesFields, matchesLabels } from './selection.ts';

const VALUES = new Set(
  '--kubeconfig --namespace -n --output -o --request-timeout --server -s --selector -l --field-selector --timeout --for --context --cluster --user --sort-by --raw -f --filename -L --label-columns --grace-period --skip-wait-for-delete-timeout --pod-selector -c --container --template --type -p --patch --from-literal --duration --chunk-size --tail --dry-run --field-manager -v'.split(
    ' ',
  ),
);

interface Scope {
  readonly context: CommandContext;
  readonly connection: Connection;
  readonly parsed: Arguments;
  readonly namespace: string;
}

async function kubectl(args: readonly string[], context: CommandContext): Promise<Output> {
  const split = args.indexOf('--');
  const parsed = parseArguments(split < 0 ? args : args.slice(0, split), VALUES);
  const [verb = '', ...operands] = parsed.operands;
  if (verb === 'version') return version(parsed, context);
  if (verb === '') return ok('kubectl controls the Kubernetes cluster manager.\n');
  const connection = connect(context, {
    kubeconfig: parsed.value('--kubeconfig'),
    server: parsed.value('--server', '-s'),
  });
  if (!('cluster' in connection)) {
    // it gives up after its time when packets are lost
    if (connection.stderr?.includes('no route to host')) await context.sleep(3);
    return connection;
  }
  const scope: Scope = { context, connection, parsed, namespace: parsed.value('--namespace', '-n') ?? 'default' };
  const nodesScope = { context, connection, parsed };
  const guard = (plural: string) =>
    forbidden(connection, 'patch', { plural, name: operands.at(-1), namespace: undefined });
  switch (verb) {
    case 'get':
      return get(operands, scope);
    case 'label':
    case 'annotate':
      return guard('nodes') ?? label(operands, nodesScope, verb === 'label' ? 'labels' : 'annotations');
    case 'taint':
      return guard('nodes') ?? taint(operands, nodesScope);
    case 'cordon':
    case 'uncordon':
      return guard('nodes') ?? cordon(operands, nodesScope, verb === 'cordon');
    case 'drain':
      return guard('nodes') ?? drain(operands, nodesScope);
    case 'delete':
      return remove(operands, scope);
    case 'apply':
    case 'create':
      return apply(verb, operands, scope);
    case 'wait':
      return wait(operands, scope);
    case 'exec':
      return exec(operands, split < 0 ? [] : args.slice(split + 1), scope);
    case 'cluster-info':
      return ok(
        `Kubernetes control plane is running at https://${connection.cluster.endpoint}\nCoreDNS is running at https://${connection.cluster.endpoint}/api/v1/namespaces/kube-system/services/kube-dns:dns/proxy\n`,
      );
    case 'config':
      return config(operands, scope);
    case 'describe':
      return get(operands, { ...scope, parsed: parseArguments(['-o', 'yaml'], VALUES) });
    case 'auth':
      return ok(
        forbidden(connection, operands[1] ?? 'get', {
          plural: operands[2] ?? '',
          name: undefined,
          namespace: undefined,
        })
          ? 'no\n'
          : 'yes\n',
      );
    default:
      return failure(1, `error: unknown command "${verb}" for "kubectl"`);
  }
}

function version(parsed: Arguments, { node }: CommandContext): Output {
  const own = `v${installedProgram(node, 'kubectl')?.version ?? ''}`;
  if (parsed.value('-o', '--output') === 'json')
    return ok(`${JSON.stringify({ clientVersion: { gitVersion: own }, kustomizeVersion: 'v4.5.7' }, null, 2)}\n`);
  return ok(
    `Client Version: version.Info{Major:"1", Minor:"${own.split('.')[1] ?? ''}", GitVersion:"${own}", Platform:"linux/amd64"}\nKustomize Version: v4.5.7\n`,
  );
}

function notFound({ plural, group }: Kind, name: string): Output {
  return failure(
    1,
    `Error from server (NotFound): ${group === '' ? plural : `${plural}.${group}`} "${name}" not found`,
  );
}

/** `TYPE [NAME…]` and `TYPE/NAME…` as pairs; `undefined` as name: all of the type. */
interface Target {
  readonly kind: Kind;
  readonly name: string | undefined;
}

function targets(operands: readonly string[]): readonly Target[] | Output {
  const unknown = (word: string) => failure(1, `error: the server doesn't have a resource type "${word}"`);
  if (operands.length === 0) return failure(1, 'error: Required resource not specified.');
  if (operands.every((operand) => operand.includes('/'))) {
    const pairs = operands.map((operand) => ({
      kind: kindOf(operand.split('/')[0] ?? ''),
      name: operand.slice(operand.indexOf('/') + 1),
    }));
    const missing = pairs.findIndex(({ kind }) => !kind);
    if (missing >= 0) return unknown(operands[missing]?.split('/')[0] ?? '');
    return pairs.flatMap(({ kind, name }) => (kind ? [{ kind, name }] : []));
  }
  const [types = '', ...names] = operands;
  const kinds = types.split(',').map((word) => ({ word, kind: kindOf(word) }));
  const missing = kinds.find(({ kind }) => !kind);
  if (missing) return unknown(missing.word);
  const wanted: readonly (string | undefined)[] = names.length > 0 ? names : [undefined];
  return kinds.flatMap(({ kind }) => (kind ? wanted.map((name): Target => ({ kind, name })) : []));
}

function isOutput(value: readonly Target[] | Output): value is Output {
  return !Array.isArray(value);
}

function select(
  kind: Kind,
  name: string | undefined,
  { context, connection, parsed, namespace }: Scope,
): readonly KubeObject[] {
  const everywhere = parsed.has('-A', '--all-namespaces');
  const labels = parsed.value('-l', '--selector') ?? '';
  const fields = parsed.value('--field-selector') ?? '';
  return objectsOf(context.world, connection.cluster, kind).filter(
    (object) =>
      (!kind.namespaced || everywhere || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      matchesLabels(object.metadata.labels ?? {}, labels) &&
      matchesFields(object, fields),
  );
}

function get(operands: readonly string[], scope: Scope): Output {
  const { parsed, connection, namespace, context } = scope;
  const raw = parsed.value('--raw');
  if (raw !== undefined) {
    const [path = '', query = ''] = raw.split('?');
    if (['/readyz', '/livez', '/healthz'].includes(path)) return ok(readyz(true, query.includes('verbose')));
    if (path === '/version') return ok(`{"gitVersion":"${connection.cluster.version}"}`);
    return failure(1, 'Error from server (NotFound): the server could not find the requested resource');
  }
  const wanted = targets(operands);
  if (isOutput(wanted)) return wanted;
  let stdout = '';
  let stderr = '';
  for (const { kind, name } of wanted) {
    const refusal = forbidden(connection, 'get', {
      plural: kind.plural,
      name,
      namespace: kind.namespaced ? namespace : undefined,
    });
    if (refusal) return refusal;
    const found = select(kind, name, scope);
    if (name !== undefined && found.length === 0) {
      if (parsed.has('--ignore-not-found')) continue;
      const missing = notFound(kind, name);
      if (wanted.length === 1) return missing;
      stderr += missing.stderr ?? '';
      continue;
    }
    const output = print(found, kind, {
      output: parsed.value('-o', '--output'),
      allNamespaces: parsed.has('-A', '--all-namespaces') && kind.namespaced,
      namespace,
      showLabels: parsed.has('--show-labels'),
      noHeaders: parsed.has('--no-headers') || stdout !== '',
      labelColumns: (parsed.value('-L', '--label-columns') ?? '').split(',').filter(Boolean),
      single: name !== undefined && wanted.length === 1,
      world: context.world,
      cluster: connection.cluster,
    });
    if ((output.exitCode ?? 0) !== 0) return output;
    stdout += output.stdout ?? '';
    const plain = ['wide', undefined].includes(parsed.value('-o', '--output'));
    if (found.length === 0 && plain)
      stderr +=
        kind.namespaced && !parsed.has('-A', '--all-namespaces')
          ? `No resources found in ${namespace} namespace.\n`
          : 'No resources found\n';
  }
  return { stdout, stderr, exitCode: stderr.includes('Error from server') ? 1 : 0 };
}

function remove(operands: readonly string[], scope: Scope): Output {
  const { connection, parsed, namespace, context } = scope;
  const { cluster } = connection;
  const wanted = targets(operands);
  if (isOutput(wanted)) return wanted;
  let stdout = '';
  for (const { kind, name } of wanted) {
    const refusal = forbidden(connection, 'delete', {
      plural: kind.plural,
      name,
      namespace: kind.namespaced ? namespace : undefined,
    });
    if (refusal) return refusal;
    const names =
      name === undefined
        ? parsed.has('--all', '-l', '--selector')
          ? select(kind, undefined, scope).map((object) => object.metadata.name)
          : []
        : [name];
    for (const one of names) {
      if (!removeOne(cluster, kind, { name: one, namespace })) {
        if (parsed.has('--ignore-not-found')) continue;
        return { ...notFound(kind, one), stdout };
      }
      stdout += `${kind.group === '' ? kind.kind.toLowerCase() : `${kind.kind.toLowerCase()}.${kind.group}`} "${one}" deleted\n`;
    }
  }
  cluster.etcd.revision += 1;
  context.world.clusters.changed(cluster);
  return ok(stdout);
}

function removeOne(
  cluster: ClusterState,
  kind: Kind,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): boolean {
  if (kind.kind === 'Node') {
    if (!(name in cluster.nodes)) return false;
    delete cluster.nodes[name];
    for (const [key, object] of Object.entries(cluster.objects)) {
      if (object.kind === 'Pod' && (object['spec'] as { nodeName?: string } | undefined)?.nodeName === name)
        delete cluster.objects[key];
    }
    return true;
  }
  if (kind.kind === 'Secret' && name === 'kubeadm-certs' && cluster.certificates) {
    cluster.certificates = null;
    return true;
  }
  const key = objectKey(kind.kind, kind.namespaced ? namespace : '', name);
  if (!(key in cluster.objects)) return false;
  delete cluster.objects[key];
  return true;
}

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

async function apply(verb: 'apply' | 'create', operands: readonly string[], scope: Scope): Promise<Output> {
  const { parsed, context, connection, namespace } = scope;
  const file = parsed.value('-f', '--filename');
  if (file === undefined) return createNamed(operands, scope);
  const text = toText(file === '-' ? await context.stdin() : context.files.read(context.path(file)));
  let stdout = '';
  for (const document of parseAllDocuments(text)) {
    const value: unknown = 'toJSON' in document ? document.toJSON() : null;
    if (value === null) continue;
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
    const refusal = forbidden(connection, 'create', { plural: kind.plural, name: manifest.metadata.name, namespace });
    if (refusal) return refusal;
    stdout += store(manifest as unknown as KubeObject, kind, { ...scope, verb });
  }
  return ok(stdout);
}

/** Puts an object where the API server would; the controllers' part (tokens of service accounts, pods of deployments) included. */
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
  cluster.objects[key] = {
    ...object,
    metadata,
    ...(isTokenSecret(object) ? { data: tokenData(cluster, object, where) } : {}),
  };
  cluster.etcd.revision += 1;
  context.world.clusters.changed(cluster);
  const group = kind.group === '' ? kind.kind.toLowerCase() : `${kind.kind.toLowerCase()}.${kind.group}`;
  return `${group}/${object.metadata.name} ${verb === 'create' || !existed ? 'created' : 'configured'}\n`;
}

function isTokenSecret(object: KubeObject): boolean {
  return object.kind === 'Secret' && object['type'] === 'kubernetes.io/service-account-token';
}

function tokenData(cluster: ClusterState, object: KubeObject, namespace: string): Record<string, string> {
  const account = object.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const claims = {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': namespace,
    sub: `system:serviceaccount:${namespace}:${account}`,
    cluster: cluster.id,
  };
  const token = [{ alg: 'RS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return {
    token: base64(`${token}.${randomUUID().replaceAll('-', '')}`),
    'ca.crt': base64(cluster.ca.certificate),
    namespace: base64(namespace),
  };
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

async function wait(operands: readonly string[], scope: Scope): Promise<Output> {
  const { parsed, context } = scope;
  const condition = parsed.value('--for') ?? '';
  const [, type = '', wanted = 'True'] = /^condition=([\w-]+)(?:=(\w+))?$/i.exec(condition) ?? [];
  const seconds = goDuration(parsed.value('--timeout') ?? '30s');
  const until = context.world.clock.elapsed() + seconds;
  const wantedTargets = targets(operands);
  if (isOutput(wantedTargets)) return wantedTargets;
  let stdout = '';
  for (const { kind, name } of wantedTargets) {
    const names = name === undefined ? select(kind, undefined, scope).map((object) => object.metadata.name) : [name];
    if (names.length === 0) return failure(1, 'error: no matching resources found');
    for (const one of names) {
      for (;;) {
        const [object] = select(kind, one, scope);
        const path = `${kind.kind.toLowerCase()}/${one}`;
        if (condition === 'delete') {
          if (!object) {
            stdout += `${path} condition met\n`;
            break;
          }
        } else {
          if (!object) return { ...notFound(kind, one), stdout };
          const conditions =
            (object['status'] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
          if (
            conditions.some(
              (found) =>
                found.type.toLowerCase() === type.toLowerCase() && found.status.toLowerCase() === wanted.toLowerCase(),
            )
          ) {
            stdout += `${path} condition met\n`;
            break;
          }
        }
        if (context.world.clock.elapsed() >= until)
          return failure(1, `error: timed out waiting for the condition on ${kind.plural}/${one}`, stdout);
        await context.sleep(1);
      }
    }
  }
  return ok(stdout);
}

async function exec(
  operands: readonly string[],
  command: readonly string[],
  { context, connection }: Scope,
): Promise<Output> {
  const [target = '', ...after] = operands;
  const pod = target.replace(/^pods?\//, '');
  const argv = command.length > 0 ? command : after;
  const member = connection.cluster.etcd.members.find(({ name }) => pod === `etcd-${name}`);
  const host = member && context.world.nodes.get(member.server);
  if (!member || !host) return failure(1, `Error from server (NotFound): pods "${pod}" not found`);
  if (argv[0] !== 'etcdctl')
    return failure(
      126,
      `error: Internal error occurred: exec failed: unable to start container process: exec: "${argv[0] ?? ''}": executable file not found in $PATH: unknown`,
    );
  const result = await etcdctl(argv.slice(1), context, host);
  const code = result.exitCode ?? 0;
  return code === 0
    ? result
    : { ...result, stderr: `${result.stderr ?? ''}command terminated with exit code ${code}\n`, exitCode: code };
}

function config(operands: readonly string[], { connection, parsed }: Scope): Output {
  if (operands[0] === 'current-context') return ok('kubernetes-admin@kubernetes\n');
  if (operands[0] !== 'view') return ok();
  const output = parsed.value('-o', '--output');
  const value = parseAllDocuments(connection.kubeconfig)[0]?.toJSON() as KubeObject;
  if (output?.startsWith('jsonpath=') || output === 'json') {
    const kind: Kind = { kind: 'Config', plural: 'configs', names: [], group: '', namespaced: false };
    return print([value], kind, {
      output,
      single: true,
      allNamespaces: false,
      namespace: '',
      showLabels: false,
      noHeaders: true,
      labelColumns: [],
      world: {} as never,
      cluster: connection.cluster,
    });
  }
  return ok(
    parsed.has('--raw') ? connection.kubeconfig : connection.kubeconfig.replaceAll(/(-data): \S+/g, '$1: DATA+OMITTED'),
  );
}

export const KUBECTL: CommandTable = { kubectl: { run: kubectl } };
