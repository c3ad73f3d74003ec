import type { ClusterState } from '../../world/cluster/clusters.ts';
import { type Kind, objectKey } from '../../world/cluster/kinds.ts';
import { type Output, ok } from '../shell/command.ts';
import { forbidden } from './connection.ts';
import { isOutput, notFound, type Scope, select, targets } from './scope.ts';

/** Runs `kubectl delete TYPE NAME…`. */
export function remove(operands: readonly string[], scope: Scope): Output {
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
