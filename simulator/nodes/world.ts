import type { Clock } from '../kernel/clock.ts';
import type { LatencyTable } from '../kernel/latency.ts';
import type { Ledger } from '../kernel/ledger.ts';
import type { Network } from '../kernel/machine.ts';
import type { Persistence } from '../kernel/persistence.ts';
import type { Clusters } from './cluster/clusters.ts';
import type { NodeFaults } from './faults.ts';
import type { SimNode } from './node.ts';

/** What every part of the node half has in common. */
export interface World {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  readonly latency: LatencyTable;
  readonly network: Network;
  /** Decides what is left to chance. */
  readonly seed: number;
  readonly faults: NodeFaults;
  readonly clusters: Clusters;
  /** By Nova server id. */
  readonly nodes: Map<string, SimNode>;
  /** The machine that answers at a fixed, floating or virtual address. */
  readonly nodeAt: (address: string) => SimNode | undefined;
}
