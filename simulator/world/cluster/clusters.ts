import type { Part, Persistence } from '../../kernel/persistence.ts';

/** One Kubernetes cluster: the content of its etcd and its identity. Plain JSON; times are simulated seconds. */
export interface ClusterState {
  readonly id: string;
  readonly createdAt: number;
  readonly createdIso: string;
  /** The version in kubeadm's form: `v1.26.8`. */
  version: string;
  /** The host:port in every kubeconfig. */
  endpoint: string;
  readonly imageRepository: string;
  readonly podSubnet: string;
  readonly serviceSubnet: string;
  readonly dnsDomain: string;
  /** What kubeadm's configuration in the cluster adds to API servers. Undefined: nothing. */
  apiServer?: ApiServerExtras;
  /** Names of the keys, with a hash each, that Secrets in etcd are encrypted with. Undefined: they are not encrypted. */
  secretsKey?: string;
  ca: Authority;
  readonly tokens: Record<string, BootstrapToken>;
  /** The uploaded control-plane certificates (Secret kube-system/kubeadm-certs). */
  certificates: {
    readonly key: string;
    readonly expiresAt: number;
    /** Path below /etc/kubernetes/pki → PEM. */
    readonly files: Readonly<Record<string, string>>;
  } | null;
  readonly nodes: Record<string, KubeNode>;
  readonly etcd: EtcdState;
  cni: Cni | null;
  /** True when `kubeadm init` ended; the add-ons exist then. */
  complete: boolean;
  /** Objects made with kubectl, by `kind/namespace/name`. */
  readonly objects: Record<string, KubeObject>;
}

export interface ApiServerExtras {
  /** Flags without the dashes. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly volumes: readonly {
    readonly hostPath: string;
    readonly mountPath: string;
    readonly pathType?: string | undefined;
  }[];
}

export interface Authority {
  readonly certificate: string;
  readonly privateKey: string;
  /** Hexadecimal SHA-256 of the public key, as `--discovery-token-ca-cert-hash` wants it. */
  readonly hash: string;
}

export interface BootstrapToken {
  readonly secret: string;
  /** Simulated time of the expiry; `null` when the token never expires. */
  readonly expiresAt: number | null;
  readonly description: string;
}

export interface KubeNode {
  readonly name: string;
  readonly uid: string;
  /** The machine of the kubelet that reports for this node. */
  server: string;
  readonly createdAt: number;
  readonly createdIso: string;
  /** When the kubelet of `server` first reported. */
  joinedAt: number;
  internalIp: string;
  labels: Record<string, string>;
  /** Keys of the labels that server-side apply has set, by field manager. */
  appliedLabels?: Record<string, readonly string[]>;
  annotations: Record<string, string>;
  taints: { readonly key: string; readonly value?: string; readonly effect: string }[];
  unschedulable: boolean;
  version: string;
  /** Simulated time at which the kubelet was first missed; `null` while it reports. */
  lostAt: number | null;
}

export interface EtcdState {
  /** The id as a uint64 in decimal text. */
  readonly clusterId: string;
  readonly members: EtcdMember[];
  revision: number;
  term: number;
  /**
   * The version of etcd and etcdctl. Undefined means that of Kubernetes 1.26. etcd 3.4 lists its members without a
   * majority.
   */
  version?: string;
}

export interface EtcdMember {
  /** The id as a uint64 in hexadecimal text. */
  readonly id: string;
  readonly name: string;
  readonly address: string;
  learner: boolean;
  /** The machine whose data directory belongs to this member. */
  readonly server: string;
  /** True when the process of the member has run at least once. */
  started: boolean;
}

export interface Cni {
  readonly name: 'cilium';
  readonly version: string;
  readonly installedAt: number;
  readonly values: Readonly<Record<string, string>>;
  /** The blocks of the pool of pod addresses that nodes have: name of the node → number of the block. */
  blocks?: Record<string, number>;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
  };
  readonly [field: string]: unknown;
}

export interface Clusters {
  all(): readonly ClusterState[];
  get(id: string): ClusterState | undefined;
  add(cluster: ClusterState): void;
  /** Marks the state of a cluster as changed, and writes it later. */
  changed(cluster: ClusterState): void;
  /** Writes pending changes. Call it before a client can learn of them. */
  save(): void;
  /** Writes pending changes and stops all further writes. */
  freeze(): void;
  remove(id: string): void;
}

export function createClusters(persistence: Persistence): Clusters {
  const index = persistence.part<{ ids: string[] }>('clusters', () => ({ ids: [] }));
  const parts = new Map<string, Part<ClusterState>>();
  const dirty = new Set<string>();
  let frozen = false;
  const save = () => {
    for (const id of dirty) parts.get(id)?.flush();
    dirty.clear();
  };
  for (const id of index.state.ids) {
    const part = persistence.part<ClusterState | null>(`cluster-${id}`, () => null);
    if (part.state) parts.set(id, part as Part<ClusterState>);
  }
  return {
    all: () => [...parts.values()].map(({ state }) => state),
    get: (id) => parts.get(id)?.state,
    add: (cluster) => {
      const part = persistence.part<ClusterState>(`cluster-${cluster.id}`, () => cluster);
      parts.set(cluster.id, part);
      index.state.ids.push(cluster.id);
      part.flush();
      index.flush();
    },
    changed: (cluster) => {
      if (frozen) return;
      dirty.add(cluster.id);
      parts.get(cluster.id)?.changed();
    },
    save,
    freeze: () => {
      save();
      frozen = true;
    },
    remove: (id) => {
      parts.get(id)?.remove();
      parts.delete(id);
      index.state.ids = index.state.ids.filter((other) => other !== id);
      index.flush();
    },
  };
}
