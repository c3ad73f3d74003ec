import type { Json, JsonObject } from './json.ts';

/** The whole state of the simulated cloud as plain JSON: one part of the persistent state. */
export interface CloudState {
  draws: number;
  seed: number;
  instanceNumber: number;
  /** For each subnet, the cursor into its shuffled pool of addresses. */
  cursors: Record<string, number>;
  projects: Project[];
  users: User[];
  roles: { id: string; name: string }[];
  /** Tokens by their SHA-256. */
  tokens: Record<string, Token>;
  serviceIds: Record<string, string>;
  networks: Record<string, Network>;
  subnets: Record<string, Subnet>;
  routers: Record<string, Router>;
  securityGroups: Record<string, SecurityGroup>;
  ports: Record<string, Port>;
  floatingIps: Record<string, FloatingIp>;
  flavors: Record<string, Flavor>;
  hosts: string[];
  /** Quotas by project id. A project without one has no limits. */
  quotas?: Record<string, Quota>;
  servers: Record<string, Server>;
  serverGroups: Record<string, ServerGroup>;
  volumes: Record<string, Volume>;
  /** Containers of Swift by project and name. Undefined in the state of an older release. */
  objectStore?: Record<string, Record<string, Container>>;
  keypairs: Record<string, Keypair>;
  images: Record<string, Image>;
  stacks: Record<string, Stack>;
  /** Templates and files by their SHA-256; nested stacks share them. */
  texts: Record<string, string>;
}

export interface Project {
  id: string;
  name: string;
}

export interface User {
  id: string;
  name: string;
  password: string;
  defaultProjectId?: string;
  /** Role names by project id. */
  roles: Record<string, string[]>;
}

export interface Token {
  userId: string;
  projectId?: string;
  methods: string[];
  auditId: string;
  issuedAt: string;
  /** Wall-clock time of the expiry, milliseconds. */
  expires: number;
}

/** The identity that a valid token proves. */
export interface Session {
  readonly userId: string;
  readonly userName: string;
  readonly projectId: string;
  readonly roles: readonly string[];
  readonly admin: boolean;
}

export interface Network {
  id: string;
  name: string;
  projectId: string;
  external: boolean;
  shared: boolean;
  segment: number;
  createdAt: string;
  updatedAt: string;
}

export interface Subnet {
  id: string;
  name: string;
  projectId: string;
  networkId: string;
  cidr: string;
  gateway: string | null;
  dhcp: boolean;
  nameservers: string[];
  createdAt: string;
  updatedAt: string;
}

export interface Router {
  id: string;
  name: string;
  projectId: string;
  gateway: { networkId: string; portId: string } | null;
  createdAt: string;
  updatedAt: string;
}

export interface SecurityGroup {
  id: string;
  name: string;
  description: string;
  projectId: string;
  rules: JsonObject[];
  createdAt: string;
  updatedAt: string;
}

export interface Port {
  id: string;
  name: string;
  projectId: string;
  networkId: string;
  mac: string;
  fixedIps: { subnetId: string; address: string }[];
  deviceId: string;
  deviceOwner: string;
  host: string;
  securityGroups: string[];
  allowedAddressPairs: { ip_address: string; mac_address?: string }[];
  description: string;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

export interface FloatingIp {
  id: string;
  projectId: string;
  networkId: string;
  address: string;
  /** The port of the public network that holds the address. */
  holderPortId: string;
  portId: string | null;
  fixedAddress: string | null;
  description: string;
  createdAt: string;
  updatedAt: string;
}

export interface Flavor {
  id: string;
  name: string;
  vcpus: number;
  ramMb: number;
  diskGb: number;
}

export interface Server {
  id: string;
  name: string;
  projectId: string;
  userId: string;
  status: 'BUILD' | 'ACTIVE' | 'SHUTOFF' | 'ERROR' | 'REBOOT' | 'MIGRATING' | 'DELETED';
  task: string | null;
  imageId: string;
  flavorId: string;
  metadata: JsonObject;
  host: string;
  zone: string;
  keyName: string | null;
  groupId: string | null;
  userData: string | null;
  /** Ids of the ports, in the order of the interfaces. */
  portIds: string[];
  /** Ports that Nova created and deletes with the server. */
  ownPortIds: string[];
  volumeIds: string[];
  /** The volume that the server boots from. Null or undefined: it boots from its image. */
  bootVolumeId?: string | null;
  fault: { code: number; message: string; created: string } | null;
  instanceNumber: number;
  reservation: string;
  createdAt: string;
  updatedAt: string;
  launchedAt: string | null;
  /** Simulated time at which the build, deletion or migration in progress ends. */
  dueAt: number | null;
  /** The host that a live migration moves the server to. */
  destination?: string | null;
}

/** The limits of a project; -1 means no limit. */
export interface Quota {
  instances: number;
  cores: number;
  ram: number;
}

export interface ServerGroup {
  id: string;
  name: string;
  projectId: string;
  userId: string;
  policy: string;
}

export interface Volume {
  id: string;
  name: string;
  projectId: string;
  sizeGb: number;
  imageId: string | null;
  serverId: string | null;
  createdAt: string;
}

/** The objects of a container of Swift by name. */
export type Container = Record<string, { readonly base64: string; readonly hash: string; readonly at: string }>;

export interface Keypair {
  name: string;
  userId: string;
  publicKey: string;
}

export interface Image {
  id: string;
  name: string;
  projectId: string;
  visibility: string;
  status: 'queued' | 'saving' | 'active';
  diskFormat: string | null;
  containerFormat: string | null;
  size: number | null;
  checksum: string | null;
  sha512: string | null;
  minDisk: number;
  minRam: number;
  isProtected: boolean;
  tags: string[];
  extra: Record<string, string>;
  createdAt: string;
  updatedAt: string;
}

export type StackAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'ROLLBACK';
export type Progress = 'IN_PROGRESS' | 'COMPLETE' | 'FAILED';

/** The source of a stack. */
export interface StackSource {
  /** Key of `texts`. */
  template: string;
  /** File name → key of `texts`. */
  files: Record<string, string>;
  parameters: Record<string, Json>;
  /** Default parameters of the environment. */
  parameterDefaults: Record<string, Json>;
  registry: Record<string, string>;
}

export interface Stack {
  id: string;
  name: string;
  projectId: string;
  userId: string;
  owner: string;
  parentId: string | null;
  /** The resource of the parent stack that this nested stack implements. */
  parentResource: string | null;
  rootId: string;
  action: StackAction;
  progress: Progress;
  reason: string;
  createdAt: string;
  updatedAt: string | null;
  deletedAt: string | null;
  disableRollback: boolean;
  timeoutMins: number | null;
  /** Simulated time at which the action in progress times out. */
  deadline: number | null;
  userProjectId: string;
  tags: string[];
  source: StackSource;
  /** The source to which a rollback returns. */
  previous: StackSource | null;
  resources: Record<string, Resource>;
  /** Replaced or removed resources that must still be deleted. */
  obsolete: Resource[];
  events: StackEvent[];
}

export interface Resource {
  name: string;
  type: string;
  physicalId: string;
  action: 'INIT' | 'CREATE' | 'UPDATE' | 'DELETE' | 'CHECK';
  progress: Progress;
  reason: string;
  /** The random part of names derived from the resource. */
  tag: string;
  requires: string[];
  /** The properties that were applied last. */
  properties: JsonObject | null;
  data: JsonObject;
  /** Whether the thing stays when the resource is deleted: `deletion_policy: Retain`, or `external_id`. */
  isRetained?: boolean;
  /** The id of a thing that Heat does not manage. */
  externalId?: string;
  createdAt: string;
  updatedAt: string;
}

export interface StackEvent {
  id: string;
  at: string;
  seq: number;
  name: string;
  physicalId: string;
  status: string;
  reason: string;
  type: string;
}
