/**
 * `node`: a host name, server name, server id or address; undefined means every node. `times`: the number of strikes;
 * undefined means until it is removed.
 */
interface Where {
  readonly node?: string;
  readonly times?: number;
}

export type NodeFault =
  /** TCP connections to sshd are refused. */
  | (Where & { readonly kind: 'ssh-refused' })
  /** The connection is cut `afterSeconds` (simulated) after a command began. */
  | (Where & { readonly kind: 'ssh-reset'; readonly afterSeconds?: number; readonly commandPrefix?: string })
  /** The connection opens, but sshd sends nothing. */
  | (Where & { readonly kind: 'ssh-hang' })
  /** Each login takes `seconds` longer. */
  | (Where & { readonly kind: 'ssh-slow'; readonly seconds: number })
  /** A new etcd member needs `seconds` longer until it runs; until then it is a voter that does not answer. */
  | (Where & { readonly kind: 'etcd-slow'; readonly seconds: number })
  /** sshd shows another host key. */
  | (Where & { readonly kind: 'host-key' })
  /** A command answers this instead of running; with `delaySeconds` alone it only takes longer. */
  | (Where & {
      readonly kind: 'command';
      readonly commandPrefix: string;
      readonly exitCode?: number;
      readonly stderr?: string;
      readonly delaySeconds?: number;
    })
  /** The first download by `curl` or `wget` of a URL with this prefix has other bytes. */
  | (Where & { readonly kind: 'download-corrupted'; readonly urlPrefix: string })
  | (Where & { readonly kind: 'disk-full' })
  /** The network of the node has no way out but the proxy of the site. */
  | (Where & { readonly kind: 'no-way-out' })
  /** The API server of the node authorizes members of cluster-admin alone, as a webhook may: it ignores other roles. */
  | (Where & { readonly kind: 'roles-ignored' })
  /** The node runs, but SSH and the API cannot reach it. */
  | (Where & { readonly kind: 'unreachable' });
