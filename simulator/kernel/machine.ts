/** A virtual machine as Nova hands it to the hypervisor. */
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
}

/** What the cloud half of the simulator asks of the node half. */
export interface Hypervisor {
  /** The machine exists and boots: its sshd answers after the boot latency. One that exists already stays as it is. */
  create(machine: Machine): void;
  destroy(id: string): void;
  power(id: string, action: 'start' | 'stop' | 'reboot'): void;
  /** What the machine printed on its serial console so far (cloud-init prints the SSH host key fingerprints there). */
  consoleLog(id: string): string;
  /** After a restart: only these machines exist in the cloud; others are remains of a moment that was lost. */
  retain?(ids: ReadonlySet<string>): void;
}

/** What the node half asks of the cloud half. */
export interface Network {
  /** Which machine answers at an address: fixed address of a port, or floating IP bound to one. Virtual IPs are resolved by the nodes themselves. */
  machineAt(address: string): string | undefined;
  /** The fixed address behind a floating IP (`undefined`: not a bound floating IP). */
  fixedAddressOf(floatingAddress: string): string | undefined;
}
