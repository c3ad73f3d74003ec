import type { Clock } from '../../kernel/clock.ts';
import type { LatencyTable } from '../../kernel/latency.ts';
import type { Chance } from './chance.ts';
import type { CloudState } from './cloud-state.ts';
import type { Faults } from './faults.ts';

/** The parts that all services of the cloud share. */
export interface Foundation {
  readonly state: CloudState;
  readonly clock: Clock;
  readonly latency: LatencyTable;
  readonly chance: Chance;
  readonly faults: Faults;
  /** Marks the state as changed. */
  changed(): void;
  /** Writes pending changes to the disk at once. */
  flush(): void;
  /** Returns the base URL of the server, for example `http://127.0.0.1:41234`. */
  url(): string;
}
