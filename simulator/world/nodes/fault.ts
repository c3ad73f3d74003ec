/** `node`: host name, server name, server id or an address; absent: every node. `times`: how often (default: until cleared). */
interface Where {
  readonly node?: string;
  readonly times?: number;
}

export type NodeFault =
  /** TCP connections to sshd are refused. */
  | (Where & { readonly kind: 'ssh-refused' })
  /** The connection is cut `afterSeconds` (simulated) after a command began. */
  | (Where & { readonly kind: 'ssh-reset'; readonly afterSeconds?: number; readonly commandPrefix?: string })
  /** The connection opens, sshd never says a word. */
  | (Where & { readonly kind: 'ssh-hang' })
  /** Each login takes so much longer. */
  | (Where & { readonly kind: 'ssh-slow'; readonly seconds: number })
  /** A new etcd member needs so much longer until it runs: until then it is a voter that does not answer. */
  | (Where & { readonly kind: 'etcd-slow'; readonly seconds: number })
  /** sshd shows another host key. */
  | (Where & { readonly kind: 'host-key' })
  /** A command answers this instead of running; `delaySeconds` alone: it only takes longer. */
  | (Where & {
      readonly kind: 'command';
      readonly commandPrefix: string;
      readonly exitCode?: number;
      readonly stderr?: string;
      readonly delaySeconds?: number;
    })
  /** The first `curl` or `wget` of a URL that begins so brings a file with other bytes. */
  | (Where & { readonly kind: 'download-corrupted'; readonly urlPrefix: string })
  | (Where & { readonly kind: 'disk-full' })
  /** Neither SSH nor the API reach the node; it runs on. */
  | (Where & { readonly kind: 'unreachable' });
