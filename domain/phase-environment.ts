import type { ClusterParameters } from './cluster-parameters.ts';

/** What `discover` found out about a cluster and every node needs to know. */
export interface ClusterContext {
  /** `host:port` that every kubeconfig uses. */
  readonly endpoint: string;
  /** Addresses that the API server's certificate must name besides. */
  readonly certSans: readonly string[];
}

/** Leases, minted for one round of an operation. */
export interface JoinCredentials {
  readonly token: string;
  readonly caCertHash: string;
  readonly certificateKey: string;
}

interface PhaseFacts {
  readonly node: { readonly name: string; readonly address: string; readonly loginUser: string };
  readonly parameters: ClusterParameters;
  readonly cluster: ClusterContext;
  readonly credentials?: JoinCredentials;
}

/** The environment of an install script's phase (docs/install-script.md). Values may be secret: they go through a 0600 file. */
export function phaseEnvironment({ node, parameters, cluster, credentials }: PhaseFacts): Record<string, string> {
  const { proxy, master_node } = parameters;
  return {
    NODE_NAME: node.name,
    NODE_IP: node.address,
    LOGIN_USER: node.loginUser,
    POD_CIDR: master_node.pod_cidr,
    SERVICE_CIDR: master_node.cluster_cidr,
    CLUSTER_ENDPOINT: cluster.endpoint,
    CERT_SANS: cluster.certSans.join(','),
    ...(proxy?.http_proxy === undefined ? {} : { HTTP_PROXY: proxy.http_proxy }),
    ...(proxy?.https_proxy === undefined ? {} : { HTTPS_PROXY: proxy.https_proxy }),
    ...(proxy?.no_proxy === undefined ? {} : { NO_PROXY: proxy.no_proxy }),
    ...(credentials === undefined
      ? {}
      : {
          JOIN_TOKEN: credentials.token,
          CA_CERT_HASH: credentials.caCertHash,
          CERTIFICATE_KEY: credentials.certificateKey,
        }),
  };
}
