import type { Machine } from '../../kernel/machine.ts';
import type { Changes } from '../files/tree.ts';
import type { Image } from '../images/image.ts';
import type { UnitState } from '../systemd/unit-state.ts';
import type { HostKey } from './host-keys.ts';

/** The state of a machine that survives the simulator's process. Plain JSON. */
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
  /** Images of docker by their full names. Undefined in the state of an older release. */
  dockerImages?: Record<string, Image>;
  /** Network interfaces that were created after boot, for example by Cilium. */
  links: string[];
  /** Mount points below `/`. Undefined in the state of an older release. */
  mounts?: string[];
  /** Ids of the attached volumes, in the order of their devices. Undefined in the state of an older release. */
  disks?: string[];
  /** Volume by mount point. These mount points are in `mounts`, too. */
  volumeMounts?: Record<string, string>;
  readonly units: Record<string, UnitState>;
  readonly containers: Record<
    string,
    { readonly image: string; running: boolean; readonly options: Record<string, string> }
  >;
  journal: { readonly at: string; readonly unit: string; readonly text: string }[];
  console: string;
  /** The number of the last boot whose lines are on the console. */
  consoleBoots: number;
}
