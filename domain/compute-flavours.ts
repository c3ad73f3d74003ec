/** What a server of a VDU needs at least. */
export interface ComputeNeeds {
  readonly cores: number;
  /** MiB */
  readonly ram: number;
  /** GiB */
  readonly disk: number;
}

/** A flavor of Nova. */
export interface NovaFlavor extends ComputeNeeds {
  readonly id: string;
  readonly name: string;
}

/**
 * Chooses the smallest flavor that has enough of everything: the least memory, then the fewest cores, then the smallest
 * disk, then the first name, so that the choice never depends on the order of Nova's list.
 * @returns undefined when none fits
 */
export function smallestFlavor(needs: ComputeNeeds, offered: readonly NovaFlavor[]): NovaFlavor | undefined {
  return offered
    .filter(({ cores, ram, disk }) => cores >= needs.cores && ram >= needs.ram && disk >= needs.disk)
    .sort((a, b) => a.ram - b.ram || a.cores - b.cores || a.disk - b.disk || a.name.localeCompare(b.name))[0];
}

/** A size for people. */
export function describeNeeds({ cores, ram, disk }: ComputeNeeds): string {
  return `${cores} ${cores === 1 ? 'core' : 'cores'}, ${ram} MiB of memory, ${disk} GiB of disk`;
}

/** The name of a flavor that vnflow makes for the servers of a VDU. It goes with the stack. */
export function ownFlavorName(vnfInstanceId: string, vduId: string): string {
  return `${ownFlavorPrefix(vnfInstanceId)}${vduId}`;
}

/** All flavors that vnflow makes for an instance begin like this. */
export function ownFlavorPrefix(vnfInstanceId: string): string {
  return `vnflow-${vnfInstanceId}-`;
}
