import type { ClusterState } from '../../world/cluster/clusters.ts';
import { dialError, reachApi } from '../../world/cluster/endpoints.ts';
import { kindOf } from '../../world/cluster/kinds.ts';
import { serverOf, trustedAuthority } from '../../world/cluster/kube-nodes.ts';
import { type Identity, identityIn } from '../../world/cluster/kubeconfig.ts';
import { bearerOf, isAllowed } from '../../world/cluster/service-accounts.ts';
import { FileError } from '../../world/files/tree.ts';
import { goClient } from '../../world/internet/proxy-client.ts';
import type { SimNode } from '../../world/world.ts';
import { type CommandContext, failure, type Output } from '../shell/command.ts';

/** A connection to an API server that answered. */
export interface Connection {
  readonly cluster: ClusterState;
  readonly identity: Identity;
  /** The machine of the API server that answered. */
  readonly server: SimNode;
  readonly kubeconfig: string;
}

export interface ConnectionOptions {
  readonly kubeconfig: string | undefined;
  readonly server: string | undefined;
}

/** Opens the connection of a kubectl command. @returns the connection, or kubectl's error message */
export function connect(context: CommandContext, options: ConnectionOptions): Connection | Output {
  const named = options.kubeconfig ?? context.env['KUBECONFIG'];
  const path = context.path(named ?? `${context.env['HOME'] ?? '/root'}/.kube/config`);
  let text: string;
  try {
    text = context.files.readText(path);
  } catch (error) {
    if (error instanceof FileError && error.code === 'EACCES') {
      return failure(1, `error: error loading config file "${path}": open ${path}: permission denied`);
    }
    if (options.kubeconfig !== undefined) return failure(1, `error: stat ${path}: no such file or directory`);
    return failure(
      1,
      'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
    );
  }
  const server = options.server?.replace(/^https:\/\//, '') ?? serverOf(text) ?? '';
  const reached = reachApi(
    context.node,
    server.includes(':') ? server : `${server}:443`,
    goClient('kubectl', context.env),
  );
  if ('problem' in reached) {
    if (reached.problem === 'refused') {
      return failure(1, `The connection to the server ${server} was refused - did you specify the right host or port?`);
    }
    if (reached.problem === 'no-quorum')
      return failure(1, 'Error from server (Timeout): etcdserver: request timed out');
    return failure(1, `Unable to connect to the server: ${dialError(reached)}`);
  }
  if (trustedAuthority(text) !== reached.cluster.ca.hash) {
    return failure(
      1,
      'Unable to connect to the server: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "kubernetes")',
    );
  }
  const token = /^\s*token: (\S+)/m.exec(text)?.[1];
  const identity =
    token === undefined ? identityIn(context.node, text) : bearerOf(reached.server, reached.cluster, token);
  if (!identity) return failure(1, 'error: You must be logged in to the server (Unauthorized)');
  return { cluster: reached.cluster, identity, server: reached.server, kubeconfig: text };
}

/** Returns why the caller may not do this. Administrators may do everything; a kubelet may read its own node. */
export function forbidden(
  { cluster, identity }: Connection,
  verb: string,
  {
    plural,
    name,
    namespace,
  }: { readonly plural: string; readonly name: string | undefined; readonly namespace: string | undefined },
): Output | undefined {
  if (identity.groups.includes('system:masters') || identity.groups.includes('kubeadm:cluster-admins'))
    return undefined;
  const asked = verb === 'get' && name === undefined ? 'list' : verb;
  if (isAllowed(cluster, identity, { verb: asked, group: kindOf(plural)?.group ?? '', resource: plural }))
    return undefined;
  const own = identity.user.replace(/^system:node:/, '');
  if (identity.groups.includes('system:nodes') && plural === 'nodes' && verb === 'get' && name === own)
    return undefined;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = name === undefined ? plural : `${plural} "${name}"`;
  return failure(
    1,
    `Error from server (Forbidden): ${what} is forbidden: User "${identity.user}" cannot ${name === undefined && verb === 'get' ? 'list' : verb} resource "${plural}" in API group "" ${where}`,
  );
}
