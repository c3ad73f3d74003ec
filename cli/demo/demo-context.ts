import type { SimulatorRecord, UpRecord } from '../up/up-record.ts';
import type { Vnfm } from '../vnfm/client.ts';

/** What every scenario of the demo works with. */
export interface DemoContext {
  readonly vnfm: Vnfm;
  readonly record: UpRecord;
  readonly simulator: SimulatorRecord;
  /** The data directory. */
  readonly data: string;
}
