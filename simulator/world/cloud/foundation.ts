import type { Clock } from '../../kernel/clock.ts';
import type { LatencyTable } from '../../kernel/latency.ts';
import type { Chance } from './chance.ts';
import type { CloudState } from './cloud-state.ts';
import type { Faults } from './faults.ts';

/** What all services of the cloud stand on. */
export interface Foundation {
  readonly state: CloudState;
  readonly clock: Clock;
  readonly latency: LatencyTable;
  readonly chance: Chance;
  readonly faults: Faults;
  /** The state was changed. */
  changed(): void;
  /** Writes the state to the disk at once, if it was changed. */
  flush(): void;
  /** The server's base URL, for example `http://127.0.0.1:41234`. */
  url(): string;
}
