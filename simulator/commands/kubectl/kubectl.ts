import { tendWorkloads } from '../../world/cluster/workloads.ts';
import { installedProgram } from '../../world/files/installed-program.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from '../shell/command.ts';
import { apply } from './apply.ts';
import { connect, forbidden } from './connection.ts';
import { createToken } from './create-token.ts';
import { remove } from './delete.ts';
import { drain } from './drain.ts';
import { exec } from './exec.ts';
import { get } from './get.ts';
import { config } from './kubeconfig.ts';
import { cordon, label, taint } from './nodes.ts';
import type { Scope } from './scope.ts';
import { wait } from './wait.ts';

const VALUES = new Set(
  '--kubeconfig --namespace -n --output -o --request-timeout --server -s --selector -l --field-selector --timeout --for --context --cluster --user --sort-by --raw -f --filename -L --label-columns --grace-period --skip-wait-for-delete-timeout --pod-selector -c --container --template --type -p --patch --from-literal --duration --chunk-size --tail --dry-run --field-manager -v'.split(
    ' ',
  ),
);

type Verb = (operands: readonly string[], scope: Scope, after: readonly string[]) => Output | Promise<Output>;

/** Wraps a verb that changes nodes: callers without the permission get an error. */
const onNodes =
  (verb: Verb): Verb =>
  (operands, scope, after) =>
    forbidden(scope.connection, 'patch', { plural: 'nodes', name: operands.at(-1), namespace: undefined }) ??
    verb(operands, scope, after);

const VERBS: Readonly<Record<string, Verb>> = {
  get,
  delete: remove,
  wait,
  config,
  exec: (operands, scope, after) => exec(operands, after, scope),
  apply: (operands, scope) => apply('apply', operands, scope),
  create: (operands, scope) =>
    operands[0] === 'token' ? createToken(operands, scope) : apply('create', operands, scope),
  describe: (operands, scope) => get(operands, { ...scope, parsed: parseArguments(['-o', 'yaml'], VALUES) }),
  label: onNodes((operands, scope) => label(operands, scope, 'labels')),
  annotate: onNodes((operands, scope) => label(operands, scope, 'annotations')),
  taint: onNodes(taint),
  cordon: onNodes((operands, scope) => cordon(operands, scope, true)),
  uncordon: onNodes((operands, scope) => cordon(operands, scope, false)),
  drain: onNodes(drain),
  auth: canI,
  'cluster-info': clusterInfo,
};

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
    // a connection to a host that drops packets ends by a timeout
    if (connection.stderr?.includes('no route to host')) await context.sleep(3);
    return connection;
  }
  tendWorkloads(context.world, connection.cluster);
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run) return failure(1, `error: unknown command "${verb}" for "kubectl"`);
  const scope: Scope = { context, connection, parsed, namespace: parsed.value('--namespace', '-n') ?? 'default' };
  const output = await run(operands, scope, split < 0 ? [] : args.slice(split + 1));
  tendWorkloads(context.world, connection.cluster);
  return output;
}

function clusterInfo(_: readonly string[], { connection: { cluster } }: Scope): Output {
  return ok(
    `Kubernetes control plane is running at https://${cluster.endpoint}\nCoreDNS is running at https://${cluster.endpoint}/api/v1/namespaces/kube-system/services/kube-dns:dns/proxy\n`,
  );
}

/** Runs `kubectl auth can-i VERB RESOURCE`. */
function canI([, verb = 'get', plural = '']: readonly string[], { connection }: Scope): Output {
  return ok(forbidden(connection, verb, { plural, name: undefined, namespace: undefined }) ? 'no\n' : 'yes\n');
}

function version(parsed: Arguments, { node }: CommandContext): Output {
  const own = `v${installedProgram(node, 'kubectl')?.version ?? ''}`;
  if (parsed.value('-o', '--output') === 'json')
    return ok(`${JSON.stringify({ clientVersion: { gitVersion: own }, kustomizeVersion: 'v4.5.7' }, null, 2)}\n`);
  return ok(
    `Client Version: version.Info{Major:"1", Minor:"${own.split('.')[1] ?? ''}", GitVersion:"${own}", Platform:"linux/amd64"}\nKustomize Version: v4.5.7\n`,
  );
}

export const KUBECTL: CommandTable = { kubectl: { run: kubectl } };
