import type { Clock } from '../kernel/clock.ts';
import type { LatencyTable } from '../kernel/latency.ts';
import type { Ledger } from '../kernel/ledger.ts';
import type { Network } from '../kernel/machine.ts';
import type { Persistence } from '../kernel/persistence.ts';
import type { Clusters } from './cluster/clusters.ts';
import type { Volumes } from './disks/volumes.ts';
import type { Tree } from './files/tree.ts';
import type { View } from './files/view.ts';
import type { NodeFaults } from './nodes/faults.ts';
import type { NodeState } from './nodes/node-state.ts';
import type { ShellRequest, ShellResult } from './shell/request.ts';

/** The parts that everything on the nodes shares. */
export interface World {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  readonly latency: LatencyTable;
  readonly network: Network;
  /** The seed of all random decisions. */
  readonly seed: number;
  readonly faults: NodeFaults;
  readonly clusters: Clusters;
  readonly volumes: Volumes;
  readonly shells: Shells;
  /** Machines by Nova server id. */
  readonly nodes: Map<string, SimNode>;
  /** Finds the machine at a fixed, floating or virtual address. */
  readonly nodeAt: (address: string) => SimNode | undefined;
}

/** Runs shell scripts on machines. The world contains no commands: the layer above it provides this capability. */
export interface Shells {
  /** Runs a script in a shell process of its own. Never rejects: a machine that is switched off ends it with 143. */
  run(node: SimNode, request: ShellRequest): Promise<ShellResult>;
  /** Runs a script, and writes all of its output to `sink` while it runs. @returns the exit code */
  runLive(node: SimNode, request: ShellRequest & { readonly sink: (bytes: string) => void }): Promise<number>;
  /** Whether the script consists of one command, so that bash becomes this command instead of starting it. */
  isOneCommand(text: string): boolean;
}

export interface Process {
  readonly pid: number;
  readonly ppid: number;
  readonly user: string;
  readonly argv: readonly string[];
  readonly startedAt: number;
}

/** A running machine. */
export interface SimNode {
  readonly id: string;
  readonly world: World;
  readonly state: NodeState;
  readonly tree: Tree;
  /** The files as root may see them. */
  readonly root: View;
  readonly processes: Map<number, Process>;
  /** Ends everything that runs on the machine: commands, units, SSH connections. Each boot replaces it. */
  power: AbortController;
  readonly locks: Map<string, Promise<void>>;
  nextPid: number;
  /** Marks the state as changed. */
  changed(): void;
  /** Writes pending changes of the state. */
  save(): void;
  /** Stops all further writes, because the simulator stops or the machine was destroyed. */
  freeze(): void;
  /** Removes the state from the disk. */
  remove(): void;
  /** Returns the name of this machine in the ledger. */
  label(): string;
}
