import { readsSecrets } from '../../world/cluster/api-server-files.ts';
import { readyz, UNSYNCED } from '../../world/cluster/endpoints.ts';
import { failure, type Output, ok } from '../shell/command.ts';
import { forbidden } from './connection.ts';
import { print } from './print.ts';
import { isOutput, notFound, type Scope, select, targets } from './scope.ts';

/** Runs `kubectl get TYPE [NAME…]`, and `--raw` for the health paths. */
export function get(operands: readonly string[], scope: Scope): Output {
  const { parsed, connection, namespace, context } = scope;
  const raw = parsed.value('--raw');
  if (raw !== undefined) {
    const [path = '', query = ''] = raw.split('?');
    if (path === '/readyz' && !readsSecrets(connection.server, connection.cluster))
      return failure(
        1,
        `Error from server (InternalError): an error on the server ("${UNSYNCED}") has prevented the request from succeeding`,
      );
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
    if (kind.kind === 'Secret' && !readsSecrets(connection.server, connection.cluster))
      return failure(
        1,
        `Error from server (InternalError): Internal error occurred: unable to transform key "/registry/secrets/${namespace}": no matching prefix found`,
      );
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
