import { z } from 'zod';
import { type NodeProxy, nodeProxy } from '../../node-proxy.ts';
import type { InstallParameters } from './install-parameters.ts';
import { type ClusterParameters, registriesOf } from './parameters.ts';
import { isTls } from './registry-connections.ts';

/** The facts about a cluster that `discover` finds and every node needs. */
export interface ClusterContext {
  /** `host:port` that every kubeconfig uses. */
  readonly endpoint: string;
  /** Additional addresses that the API server's certificate must name. */
  readonly certSans: readonly string[];
  /** The control-plane nodes, in the order of their slots. */
  readonly controlPlanes: readonly { readonly name: string; readonly address: string }[];
  /** All nodes. Undefined in the facts of operations that an earlier release began. */
  readonly nodes?: readonly { readonly name: string; readonly address: string }[];
  /** The virtual address of the API. Undefined without a load balancer. */
  readonly virtualIp?: string;
  /** The address of the API for clients outside of the cluster. The API server's certificate names it. */
  readonly floatingIp?: string;
}

const NamedNode = z.object({ name: z.string(), address: z.string() });

export const ClusterContext: z.ZodType<ClusterContext> = z.object({
  endpoint: z.string(),
  certSans: z.array(z.string()),
  controlPlanes: z.array(NamedNode),
  nodes: z.array(NamedNode).exactOptional(),
  virtualIp: z.string().exactOptional(),
  floatingIp: z.string().exactOptional(),
});

/** Credentials with which nodes join, minted for one round of an operation. */
export interface JoinCredentials {
  readonly token: string;
  readonly caCertHash: string;
  readonly certificateKey: string;
  /**
   * Configuration and keys of the encryption of Secrets, in base64. Undefined when the cluster does not encrypt them, or
   * the install script does not say so.
   */
  readonly encryptionConfig?: string | undefined;
}

/** A backup as the install script finds it. */
export interface BackupOnNode {
  readonly id: string;
  /** Path of the backup on the node. */
  readonly file: string;
  /** The revision of etcd's snapshot in the backup. */
  readonly revision: string;
  /** The id of this restore. Another restore of this backup has another id. */
  readonly restoreId: string;
}

interface PhaseFacts {
  /** The name of the phase, for example `prepare`. */
  readonly phase: string;
  readonly node: { readonly name: string; readonly address: string; readonly loginUser: string };
  readonly parameters: ClusterParameters;
  /** Values for what the install script declares: those of the package, and those of the request before them. */
  readonly installParameters?: InstallParameters;
  readonly cluster: ClusterContext;
  readonly credentials?: JoinCredentials;
  /** Only for the load balancer: what keepalived's members prove to each other. */
  readonly vrrpPassword?: string;
  /** Only for `restore`: a backup on the node. */
  readonly backup?: BackupOnNode;
}

/**
 * The environment of an install script's phase (docs/install-script.md). Values may be secret: they go through a 0600
 * file.
 */
export function phaseEnvironment({
  phase,
  node,
  parameters,
  installParameters = {},
  cluster,
  credentials,
  vrrpPassword,
  backup,
}: PhaseFacts): Record<string, string> {
  const { master_node } = parameters;
  return {
    ...installParameters, // first: no parameter replaces a variable of vnflow
    NODE_NAME: node.name,
    NODE_IP: node.address,
    LOGIN_USER: node.loginUser,
    POD_CIDR: master_node.pod_cidr,
    SERVICE_CIDR: master_node.cluster_cidr,
    CLUSTER_ENDPOINT: cluster.endpoint,
    CERT_SANS: cluster.certSans.join(','),
    CONTROL_PLANES: nodeList(cluster.controlPlanes),
    ...(phase === 'prepare' && cluster.nodes !== undefined ? { OTHER_NODES: hostLines(cluster.nodes, node.name) } : {}),
    ...(cluster.virtualIp === undefined ? {} : keepalived(cluster.virtualIp, { node, cluster })),
    ...(vrrpPassword === undefined ? {} : { VRRP_PASSWORD: vrrpPassword }),
    ...(backup === undefined ? {} : backupVariables(backup)),
    ...proxyVariables({ node, parameters, cluster }),
    ...registryVariables(parameters),
    ...(credentials === undefined
      ? {}
      : {
          JOIN_TOKEN: credentials.token,
          CA_CERT_HASH: credentials.caCertHash,
          CERTIFICATE_KEY: credentials.certificateKey,
          // a worker has no use for it
          ...(credentials.encryptionConfig === undefined || phase !== 'join-control-plane'
            ? {}
            : { ENCRYPTION_CONFIG: credentials.encryptionConfig }),
        }),
  };
}

function nodeList(nodes: readonly { readonly name: string; readonly address: string }[]): string {
  return nodes.map(({ name, address }) => `${name}=${address}`).join(',');
}

/** Lines of /etc/hosts for all nodes but one. The script only prints them: a loop over 500 nodes on each of them costs. */
function hostLines(nodes: readonly { readonly name: string; readonly address: string }[], but: string): string {
  return nodes
    .filter(({ name }) => name !== but)
    .map(({ name, address }) => `${address} ${name}`)
    .join('\n');
}

/** What a script of Tacker's contract reads: the HTTP registries as the inside of a list in docker's daemon.json. */
function registryVariables(parameters: ClusterParameters): Record<string, string> {
  const servers = registriesOf(parameters).flatMap((one) => (isTls(one) ? [] : [JSON.stringify(one.server)]));
  return servers.length === 0 ? {} : { HTTP_PRIVATE_REGISTRIES: servers.join(',') };
}

interface ProxyFacts extends Pick<PhaseFacts, 'parameters'> {
  readonly node: Pick<PhaseFacts['node'], 'address'>;
  readonly cluster: Pick<ClusterContext, 'endpoint' | 'virtualIp' | 'controlPlanes'>;
}

/** The proxy of the programs on a node. Undefined without one. */
export function proxyOfNode({ node, parameters, cluster }: ProxyFacts): NodeProxy | undefined {
  const { pod_cidr: podCidr, cluster_cidr: serviceCidr } = parameters.master_node;
  const endpoint = cluster.endpoint.slice(0, cluster.endpoint.lastIndexOf(':'));
  const planes = cluster.controlPlanes.map(({ address }) => address);
  const hosts = [node.address, endpoint, ...(cluster.virtualIp === undefined ? [] : [cluster.virtualIp]), ...planes];
  return nodeProxy(parameters.proxy, { networks: [podCidr, serviceCidr], hosts });
}

function proxyVariables(facts: ProxyFacts): Record<string, string> {
  const proxy = proxyOfNode(facts);
  if (!proxy) return {};
  return {
    ...(proxy.http === undefined ? {} : { HTTP_PROXY: proxy.http }),
    ...(proxy.https === undefined ? {} : { HTTPS_PROXY: proxy.https }),
    NO_PROXY: proxy.exceptions.join(','),
  };
}

function backupVariables({ id, file, revision, restoreId }: BackupOnNode): Record<string, string> {
  return { BACKUP_ID: id, BACKUP_FILE: file, BACKUP_REVISION: revision, RESTORE_ID: restoreId };
}

/**
 * The first control-plane node is preferred; the router id comes from the address, so that clusters of one network
 * differ.
 */
function keepalived(
  virtualIp: string,
  { node, cluster }: Pick<PhaseFacts, 'node' | 'cluster'>,
): Record<string, string> {
  const position = cluster.controlPlanes.findIndex(({ name }) => name === node.name);
  const hostPart = Number(virtualIp.split('.').at(-1));
  return {
    VIRTUAL_IP: virtualIp,
    VRRP_ROUTER_ID: String(1 + (hostPart % 255)),
    VRRP_PRIORITY: String(100 - Math.max(0, position)),
  };
}
