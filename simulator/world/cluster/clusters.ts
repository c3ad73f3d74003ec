import type { Part, Persistence } from '../../kernel/persistence.ts';

/** One Kubernetes cluster: what its etcd holds, and what identifies it. Plain JSON. Times are simulated seconds. */
export interface ClusterState {
  readonly id: string;
  readonly createdAt: number;
  readonly createdIso: string;
  /** kubeadm's view: `v1.26.8`. */
  version: string;
  /** host:port in every kubeconfig. */
  endpoint: string;
  readonly imageRepository: string;
  readonly podSubnet: string;
  readonly serviceSubnet: string;
  readonly dnsDomain: string;
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
  /** kubeadm init came to its end: add-ons are there. */
  complete: boolean;
  /** Objects made with kubectl, by `kind/namespace/name`. */
  readonly objects: Record<string, KubeObject>;
}

export interface Authority {
  readonly certificate: string;
  readonly privateKey: string;
  /** Hexadecimal SHA-256 of the public key, as `--discovery-token-ca-cert-hash` wants it. */
  readonly hash: string;
}

export interface BootstrapToken {
  readonly secret: string;
  /** `null`: never. */
  readonly expiresAt: number | null;
  readonly description: string;
}

export interface KubeNode {
  readonly name: string;
  readonly uid: string;
  /** The machine whose kubelet speaks for this node. */
  server: string;
  readonly createdAt: number;
  readonly createdIso: string;
  /** When the kubelet of `server` first reported. */
  joinedAt: number;
  internalIp: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: { readonly key: string; readonly value?: string; readonly effect: string }[];
  unschedulable: boolean;
  version: string;
  /** First moment at which the kubelet was seen not to report; `null`: it reports. */
  lostAt: number | null;
}

export interface EtcdState {
  /** uint64 as a decimal text. */
  readonly clusterId: string;
  readonly members: EtcdMember[];
  revision: number;
  term: number;
  /** Of its etcd and etcdctl; none: the one of Kubernetes 1.26. 3.4 lists its members without a majority. */
  version?: string;
}

export interface EtcdMember {
  /** uint64, hexadecimal. */
  readonly id: string;
  readonly name: string;
  readonly address: string;
  learner: boolean;
  /** The machine whose data directory belongs to this member. */
  readonly server: string;
  /** Whether its process has ever run. */
  started: boolean;
}

export interface Cni {
  readonly name: 'cilium';
  readonly version: string;
  readonly installedAt: number;
  readonly values: Readonly<Record<string, string>>;
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
  /** Says that the state of a cluster was changed, and writes it. */
  changed(cluster: ClusterState): void;
  /** Writes what was changed: before anybody is told of it. */
  save(): void;
  /** Writes what was changed; from now on nothing more. */
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
