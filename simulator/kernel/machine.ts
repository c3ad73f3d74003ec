/** A virtual machine as Nova describes it to the hypervisor. */
export interface Machine {
  /** Nova server id. */
  readonly id: string;
  readonly name: string;
  readonly imageName: string;
  readonly flavor: { readonly vcpus: number; readonly ramMb: number; readonly diskGb: number };
  readonly host: string;
  readonly ports: readonly {
    readonly portId: string;
    readonly mac: string;
    readonly address: string;
    readonly cidr: string;
  }[];
  readonly userData?: string;
  /** Ids of the volumes that are attached besides the one that it boots from. */
  readonly volumes?: readonly string[];
}

/** The operations of the node half that the cloud half calls. */
export interface Hypervisor {
  /** Creates a machine and boots it: its sshd answers after the boot latency. An existing machine stays as it is. */
  create(machine: Machine): void;
  destroy(id: string): void;
  attachVolume(id: string, volumeId: string): void;
  detachVolume(id: string, volumeId: string): void;
  /** Forgets what is on a volume. */
  removeVolume(volumeId: string): void;
  power(id: string, action: 'start' | 'stop' | 'reboot'): void;
  /** Returns the output on the serial console so far. cloud-init prints the fingerprints of the SSH host key there. */
  consoleLog(id: string): string;
  /** Removes all machines but these. Called after a restart: the others belong to changes that a kill lost. */
  retain?(ids: ReadonlySet<string>): void;
}

/** The questions of the node half to the cloud half. */
export interface Network {
  /**
   * Finds the machine at a fixed address or at a floating IP that is bound to a port. The nodes resolve virtual IPs
   * themselves.
   */
  machineAt(address: string): string | undefined;
  /** Returns the fixed address behind a floating IP. Undefined when the address is no bound floating IP. */
  fixedAddressOf(floatingAddress: string): string | undefined;
}
