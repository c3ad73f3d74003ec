import type { Machine } from '../../kernel/machine.ts';
import type { Changes } from '../files/tree.ts';
import type { UnitState } from '../systemd/unit-state.ts';
import type { HostKey } from './host-keys.ts';

/** All of a machine that outlives the simulator's process. Plain JSON. */
export interface NodeState {
  readonly machine: Machine;
  readonly machineId: string;
  readonly hostKey: HostKey;
  readonly users: Record<string, { readonly password: string | null; readonly keys: readonly string[] }>;
  power: 'on' | 'off';
  /** Simulated time at which the present boot began. */
  bootedAt: number;
  bootId: string;
  boots: number;
  hostname: string;
  readonly files: Changes;
  readonly kernel: { modules: string[]; sysctl: Record<string, string>; swaps: string[] };
  readonly packages: Record<string, { readonly version: string; held: boolean }>;
  images: string[];
  /** Network interfaces that were made after boot, for example by Cilium. */
  links: string[];
  /** Directories that are file systems of their own, below `/`; of a simulator of an older release there are none. */
  mounts?: string[];
  readonly units: Record<string, UnitState>;
  readonly containers: Record<
    string,
    { readonly image: string; running: boolean; readonly options: Record<string, string> }
  >;
  journal: { readonly at: string; readonly unit: string; readonly text: string }[];
  console: string;
  /** Says which boot already printed its lines on the console. */
  consoleBoots: number;
}
