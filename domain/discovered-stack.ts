/** A resource of the stack or of one nested in it, as far as discovery reads it. */
export interface DiscoveredResource {
  readonly name: string;
  readonly type: string;
  readonly physicalId: string;
  /** Id of the stack that has it. */
  readonly stackId: string;
  /** Name of the resource that is that stack, in the stack above; undefined in the root stack. */
  readonly parent?: string | undefined;
  /** The N of a server's slot `VDU[N]`. Undefined for any other resource, and for a server that has no place. */
  readonly index?: number | undefined;
}

export interface DiscoveredAddresses {
  /** Address and subnet by the id of the port. */
  readonly ports: ReadonlyMap<string, { readonly address: string; readonly cidr: string }>;
  /** Address by the id of the floating IP. */
  readonly floatingIps: ReadonlyMap<string, string>;
}

/** A stack as Heat and Neutron describe it. */
export interface DiscoveredStack {
  readonly resources: readonly DiscoveredResource[];
  readonly addresses: DiscoveredAddresses;
  readonly rootStackId: string;
}

/** A server of the VNF, bound to its slot. */
export interface DiscoveredNode {
  readonly slot: string;
  /** The role of the server, for example `master`; the id of the VDU when the kind of VNF has no roles. */
  readonly role: string;
  readonly serverId: string;
  readonly nodeName: string;
  /** Empty when nothing logs in to the server and it has no port. */
  readonly sshAddress: string;
  /** Empty when the server has no port. */
  readonly nicAddress: string;
}
