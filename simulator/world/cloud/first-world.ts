import { createChance } from './chance.ts';
import type { CloudState, Flavor, Image, SecurityGroup } from './cloud-state.ts';
import { parseCidr, printIpv4 } from './ipv4.ts';
import { timestamp } from './times.ts';

/** Options of a new world. */
export interface WorldOptions {
  /** The seed of ids, addresses and names. */
  readonly seed?: number;
  /** The subnet of `net0`; 10.10.0.0/24 as in the guide. Use /20 for hundreds of nodes. */
  readonly networkCidr?: string;
  /** The pool of floating IPs; 172.24.4.0/24 as in DevStack. */
  readonly publicCidr?: string;
  /** Number of compute hosts, by default 6. A strict anti-affinity group takes no more servers than there are hosts. */
  readonly hosts?: number;
}

/** The id of the network in the guide's requests. */
const GUIDE_NETWORK_ID = 'bbc012e1-6619-4fe6-aaac-0668a4974313';

const FLAVORS: readonly Omit<Flavor, 'id'>[] = [
  { name: 'm1.tiny', vcpus: 1, ramMb: 512, diskGb: 1 },
  { name: 'm1.small', vcpus: 1, ramMb: 2048, diskGb: 20 },
  { name: 'm1.medium', vcpus: 2, ramMb: 4096, diskGb: 40 },
  { name: 'm1.large', vcpus: 4, ramMb: 8192, diskGb: 80 },
];

const IMAGES = ['ubuntu-22.04-server-cloudimg-amd64', 'masterNode-image', 'workerNode-image'];
const ROLES = ['admin', 'member', 'reader', 'advsvc', 'heat_stack_owner'];

/** Makes the world of the first start: the guide's DevStack, with a second project and users of each role. */
export function createFirstWorld(options: WorldOptions): CloudState {
  const seed = options.seed ?? 1;
  const state = createEmptyWorld(seed, options.hosts ?? 6);
  const chance = createChance(seed, state);
  const project = (name: string) => {
    const id = chance.hex();
    state.projects.push({ id, name });
    return id;
  };
  const [admin, nfv, other] = [project('admin'), project('nfv'), project('other')];
  state.roles = ROLES.map((name) => ({ id: chance.hex(), name }));
  const user = (name: string, roles: Record<string, string[]>) =>
    state.users.push({ id: chance.hex(), name, password: 'devstack', roles });
  user('admin', { [admin]: ['admin', 'member', 'reader'], [nfv]: ['admin', 'member', 'reader'], [other]: ['admin'] });
  // DevStack's plugin for Tacker gives these roles to the user: an admin sees the compute host of a server
  user('nfv_user', { [nfv]: ['admin', 'advsvc', 'member', 'heat_stack_owner', 'reader'] });
  user('nfv_member', { [nfv]: ['member', 'reader'] });
  user('nfv_reader', { [nfv]: ['reader'] });
  user('other_user', { [other]: ['member', 'reader'] });
  for (const flavor of FLAVORS) {
    const id = chance.uuid();
    state.flavors[id] = { id, ...flavor };
  }
  for (const name of IMAGES) addImage(state, chance.uuid(), name, admin);
  addNetworks(state, { options, chance, admin, nfv, other });
  for (const projectId of [admin, nfv, other]) addDefaultGroup(state, chance, projectId);
  return state;
}

/** Adds compute hosts to a world that has fewer. */
export function addHosts(state: CloudState, wanted: number): void {
  while (state.hosts.length < wanted) state.hosts.push(`compute-${state.hosts.length + 1}`);
}

function createEmptyWorld(seed: number, hosts: number): CloudState {
  return {
    draws: 0,
    seed,
    instanceNumber: 0,
    cursors: {},
    projects: [],
    users: [],
    roles: [],
    tokens: {},
    serviceIds: {},
    networks: {},
    subnets: {},
    routers: {},
    securityGroups: {},
    ports: {},
    floatingIps: {},
    flavors: {},
    hosts: Array.from({ length: hosts }, (_, i) => `compute-${i + 1}`),
    servers: {},
    serverGroups: {},
    volumes: {},
    keypairs: {},
    images: {},
    stacks: {},
    texts: {},
  };
}

function addImage(state: CloudState, id: string, name: string, projectId: string): void {
  const now = timestamp();
  const image: Image = {
    id,
    name,
    projectId,
    visibility: 'public',
    status: 'active',
    diskFormat: 'qcow2',
    containerFormat: 'bare',
    size: 693_174_272,
    checksum: '6c0d1f2a8f5b4b0e9e3b7a1f0d2c4e68',
    sha512: null,
    minDisk: 0,
    minRam: 0,
    isProtected: false,
    tags: [],
    extra: {},
    createdAt: now,
    updatedAt: now,
  };
  state.images[id] = image;
}

interface NetworkPlan {
  readonly options: WorldOptions;
  readonly chance: ReturnType<typeof createChance>;
  readonly admin: string;
  readonly nfv: string;
  readonly other: string;
}

function addNetworks(state: CloudState, { options, chance, admin, nfv, other }: NetworkPlan): void {
  const now = timestamp();
  const add = (id: string, name: string, projectId: string, cidr: string, subnetName: string, external: boolean) => {
    state.networks[id] = {
      id,
      name,
      projectId,
      external,
      shared: false,
      segment: 2000 + Object.keys(state.networks).length,
      createdAt: now,
      updatedAt: now,
    };
    const subnetId = chance.uuid();
    state.subnets[subnetId] = {
      id: subnetId,
      name: subnetName,
      projectId,
      networkId: id,
      cidr,
      gateway: printIpv4(parseCidr(cidr).base + 1),
      dhcp: !external,
      nameservers: [],
      createdAt: now,
      updatedAt: now,
    };
    return subnetId;
  };
  const publicId = chance.uuid();
  add(publicId, 'public', admin, options.publicCidr ?? '172.24.4.0/24', 'public-subnet', true);
  const subnet0 = add(GUIDE_NETWORK_ID, 'net0', nfv, options.networkCidr ?? '10.10.0.0/24', 'subnet0', false);
  const otherSubnet = add(chance.uuid(), 'net0', other, '10.20.0.0/24', 'subnet0', false);
  addRouter(state, chance, { name: 'router-net0', projectId: nfv, publicId, subnetId: subnet0 });
  addRouter(state, chance, { name: 'router-net0', projectId: other, publicId, subnetId: otherSubnet });
}

function addRouter(
  state: CloudState,
  chance: ReturnType<typeof createChance>,
  at: { name: string; projectId: string; publicId: string; subnetId: string },
): void {
  const now = timestamp();
  const id = chance.uuid();
  const subnet = state.subnets[at.subnetId];
  const outer = Object.values(state.subnets).find(({ networkId }) => networkId === at.publicId);
  if (!subnet || !outer) throw new Error(`router ${at.name}: its subnets are missing`);
  const taken = Object.keys(state.routers).length;
  const port = (networkId: string, subnetId: string, address: string, owner: string) => {
    const portId = chance.uuid();
    state.ports[portId] = {
      id: portId,
      name: '',
      projectId: owner === 'network:router_gateway' ? '' : at.projectId,
      networkId,
      mac: chance.mac(),
      fixedIps: [{ subnetId, address }],
      deviceId: id,
      deviceOwner: owner,
      host: '',
      securityGroups: [],
      allowedAddressPairs: [],
      description: '',
      revision: 1,
      createdAt: now,
      updatedAt: now,
    };
    return portId;
  };
  port(subnet.networkId, subnet.id, subnet.gateway ?? '', 'network:router_interface');
  const outside = printIpv4(parseCidr(outer.cidr).base + 2 + taken);
  const gatewayPort = port(at.publicId, outer.id, outside, 'network:router_gateway');
  state.routers[id] = {
    id,
    name: at.name,
    projectId: at.projectId,
    gateway: { networkId: at.publicId, portId: gatewayPort },
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Adds the `default` security group of a project. It allows everything out, and in from the group itself and to the
 * guide's ports.
 */
export function addDefaultGroup(
  state: CloudState,
  chance: Pick<ReturnType<typeof createChance>, 'uuid'>,
  projectId: string,
): SecurityGroup {
  const now = timestamp();
  const id = chance.uuid();
  const rule = (direction: string, remote: string | null) => ({
    id: chance.uuid(),
    tenant_id: projectId,
    security_group_id: id,
    ethertype: 'IPv4',
    direction,
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_group_id: remote,
    description: '',
    project_id: projectId,
    created_at: now,
    updated_at: now,
    revision_number: 0,
    tags: [],
  });
  const group: SecurityGroup = {
    id,
    name: 'default',
    description: 'Default security group',
    projectId,
    rules: [rule('egress', null), rule('ingress', id)],
    createdAt: now,
    updatedAt: now,
  };
  state.securityGroups[id] = group;
  return group;
}
