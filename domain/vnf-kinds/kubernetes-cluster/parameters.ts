import { z } from 'zod';
import { withoutHostBits } from '../../ipv4-network.ts';
import { ProxyParameters } from '../../node-proxy.ts';
import { INSTALL_PARAMETERS, InstallParameters } from './install-parameters.ts';
import { REGISTRY_CONNECTIONS, RegistryConnections } from './registry-connections.ts';

/** Host bits, as the guides have them (192.168.3.0/16), are cleared: not every tool takes them. */
const ipv4Cidr = z.cidrv4('must be an IPv4 network such as 10.200.0.0/16').transform(withoutHostBits);
const name = z.string().min(1).max(255);
/** A login name on a node: what useradd accepts, so that it can never be an option or a shell word. */
const userName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be a Linux user name');

const nodeLogin = z.object({
  vdu_id: name,
  ssh_cp_name: name,
  nic_cp_name: name,
  username: userName,
  password: z.string().min(1).max(1024).optional(),
  private_key: z.string().min(1).max(16_384).optional(),
});

/** The names of a cluster's parameters in a request and in the secrets of an instance. */
export const CLUSTER_PARAMETERS = {
  key: 'k8s_cluster_installation_param',
  keptAs: 'clusterParameters',
  /** The servers have no other way out than the proxy, and a new node has the versions and mirrors of the others. */
  keptMembers: ['proxy', INSTALL_PARAMETERS],
  fixedMembers: [],
  /** A node that is made anew must not have other registries than the others. */
  heldMembers: [REGISTRY_CONNECTIONS],
} as const;

/** `additionalParams.k8s_cluster_installation_param` of the guide (seeds/000, "Request Parameter Description"). */
export const ClusterParameters = z.object({
  script_path: name,
  vim_name: name.optional(),
  master_node: nodeLogin.extend({
    pod_cidr: ipv4Cidr.default('10.0.0.0/8'),
    cluster_cidr: ipv4Cidr.default('10.96.0.0/12'),
    cluster_cp_name: name,
    cluster_fip_name: name.optional(),
  }),
  worker_node: nodeLogin,
  proxy: ProxyParameters.optional(),
  /** The private registries that the nodes pull images from. */
  [REGISTRY_CONNECTIONS]: RegistryConnections.optional(),
  /** Versions, mirrors, keys and checksums, by the names that the install script declares. */
  [INSTALL_PARAMETERS]: InstallParameters.optional(),
});
export type ClusterParameters = z.infer<typeof ClusterParameters>;

/** The private registries of a cluster. */
export function registriesOf({ [REGISTRY_CONNECTIONS]: connections = [] }: ClusterParameters) {
  return connections;
}

/** The login of a node. @param role as `discover` gives it: `master` or `worker` */
export function clusterLogin({ master_node, worker_node }: ClusterParameters, role: string) {
  return role === 'master' ? master_node : worker_node;
}

/** Does a node's login say how to authenticate? */
export function hasCredential(login: { password?: string | undefined; private_key?: string | undefined }): boolean {
  return login.password !== undefined || login.private_key !== undefined;
}
