import type { SimulatorRecord, UpRecord } from '../up/up-record.ts';
import type { Vnfm } from '../vnfm/client.ts';

/** The connections and settings that every scenario of the demo uses. */
export interface DemoContext {
  readonly vnfm: Vnfm;
  readonly record: UpRecord;
  readonly simulator: SimulatorRecord;
  /** The data directory. */
  readonly data: string;
}
