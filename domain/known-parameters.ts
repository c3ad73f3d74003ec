import { USER_DATA_CLASS, USER_DATA_FILE } from './user-data.ts';
import { INSTALL_PARAMETERS } from './vnf-kinds/kubernetes-cluster/install-parameters.ts';
import { CLUSTER_PARAMETERS } from './vnf-kinds/kubernetes-cluster/parameters.ts';
import { REGISTRY_CONNECTIONS } from './vnf-kinds/kubernetes-cluster/registry-connections.ts';
import { ACCEPT_CONTENT_LOSS, COPY_CONTAINER } from './vnf-kinds/private-registry/keep-contents.ts';
import { REGISTRY_PARAMETERS } from './vnf-kinds/private-registry/parameters.ts';
import type { DeclaredParameters } from './vnfd/declared-parameters.ts';

/**
 * A parameter that vnflow knows: a plain value (or a list of them), or an object (or a list of them) with known members.
 * `*` stands for every name that has no row of its own.
 */
type Known = 'value' | { readonly [name: string]: Known };

const NODE: Known = {
  vdu_id: 'value',
  aspect_id: 'value',
  ssh_cp_name: 'value',
  nic_cp_name: 'value',
  username: 'value',
  pod_cidr: 'value',
  cluster_cidr: 'value',
  cluster_cp_name: 'value',
  cluster_fip_name: 'value',
};

const PROXY: Known = { http_proxy: 'value', https_proxy: 'value', no_proxy: 'value', k8s_node_cidr: 'value' };

const CONNECTION: Known = {
  connection_type: 'value',
  server: 'value',
  username: 'value',
  certificate_path: 'value',
  certificate: 'value',
  hosts_string: 'value',
};

/** What StandardUserData reads of a server or a connection point. */
const NFV_RESOURCE: Known = {
  computeFlavourId: 'value',
  vcImageId: 'value',
  locationConstraints: 'value',
  network: 'value',
  fixed_ips: { ip_address: 'value', subnet: 'value' },
};

/** A way to a VIM, as requests name it and as a registered VIM is written into an instance. */
const VIM_CONNECTION: Known = {
  vimId: 'value',
  vimType: 'value',
  interfaceInfo: {
    endpoint: 'value',
    skipCertificateHostnameCheck: 'value',
    skipCertificateVerification: 'value',
    trustedCertificates: 'value',
    ssl_ca_cert: 'value',
    caCertificate: 'value',
  },
  accessInfo: { username: 'value', region: 'value', project: 'value', projectDomain: 'value', userDomain: 'value' },
  extra: {},
};

/** The maps that clients fill as they like, and what vnflow knows in them. */
const KNOWN_PARAMETERS = {
  additionalParams: {
    [USER_DATA_FILE]: 'value',
    [USER_DATA_CLASS]: 'value',
    nfv: { '*': { '*': NFV_RESOURCE } },
    all: 'value',
    allow_restore: 'value',
    backup_id: 'value',
    drain_timeout: 'value',
    is_reverse: 'value',
    [ACCEPT_CONTENT_LOSS]: 'value',
    [COPY_CONTAINER]: 'value',
    [CLUSTER_PARAMETERS.key]: {
      script_path: 'value',
      vim_name: 'value',
      master_node: NODE,
      worker_node: NODE,
      proxy: PROXY,
      [REGISTRY_CONNECTIONS]: CONNECTION,
      // the install script declares their names, and none of them is a secret
      [INSTALL_PARAMETERS]: { '*': 'value' },
    },
    [REGISTRY_PARAMETERS.key]: {
      ssh_cp_name: 'value',
      ssh_username: 'value',
      image_path: 'value',
      port_no: 'value',
      proxy: PROXY,
      tls: 'value',
      users: { name: 'value' },
      host_names: 'value',
      script_path: 'value',
    },
  },
  metadata: { VDU_VNFc_mapping: { '*': 'value' } },
  extensions: {},
  vnfConfigurableProperties: {
    isAutoscaleEnabled: 'value',
    isAutohealEnabled: 'value',
    [REGISTRY_CONNECTIONS]: CONNECTION,
  },
  vimConnectionInfo: { '*': VIM_CONNECTION },
} as const satisfies Readonly<Record<string, Known>>;

/** Stands for a value that is not shown. */
const HIDDEN = '***';

/**
 * A copy in which the maps that clients fill (`additionalParams`, `metadata`, `extensions`, `vnfConfigurableProperties`,
 * `vimConnectionInfo`) show only values that vnflow knows. Names stay, so that people see what is there.
 * @param members an instance, the parameters of an operation, or what an operation changed
 * @param declared what the VNFD of the instance declares; that is known, too
 */
export function withKnownParameters<T extends object>(members: T, declared?: DeclaredParameters): T {
  const given = members as Readonly<Record<string, unknown>>;
  const maps = Object.entries(KNOWN_PARAMETERS).flatMap(([map, known]) =>
    given[map] === undefined ? [] : [[map, onlyKnown(given[map], { ...declaredIn(declared, map), ...known })] as const],
  );
  return { ...members, ...Object.fromEntries(maps) };
}

/** What a VNFD declares for a map. What vnflow knows by itself goes before it. */
function declaredIn(declared: DeclaredParameters | undefined, map: string): Readonly<Record<string, Known>> {
  const found = Object.entries(declared ?? {}).find(([name]) => name === map)?.[1] ?? {};
  return Object.fromEntries(
    Object.entries(found).map(([name, form]) => [name, form === 'map' ? { '*': 'value' } : 'value']),
  );
}

function onlyKnown(value: unknown, known: Known | undefined): unknown {
  if (value === null) return null; // in a merge patch: it is removed
  if (known === undefined) return HIDDEN;
  if (Array.isArray(value)) return value.map((item: unknown) => onlyKnown(item, known));
  const isObject = typeof value === 'object';
  if (known === 'value') return isObject ? HIDDEN : value;
  if (!isObject) return HIDDEN;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      onlyKnown(member, Object.hasOwn(known, name) ? known[name] : known['*']),
    ]),
  );
}
