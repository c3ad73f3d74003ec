import type { Durability } from '../../worker/configuration.ts';

/** What `vnflow up` is told. */
export interface UpOptions {
  /** The data directory. */
  readonly data: string;
  /** Of the API; none: 9890, or another one when that is taken. */
  readonly port?: number;
  /** Of the simulator. */
  readonly speed?: number;
  /** Compute hosts of the simulator. Undefined: as many as its world has, 6 for a new one. */
  readonly hosts?: number;
  /** False: a real OpenStack is used; its Keystone is VNFLOW_KEYSTONE_URL or OS_AUTH_URL. */
  readonly simulator: boolean;
  /** postgresql://… instead of the embedded store. */
  readonly databaseUrl?: string;
  /** What embedded store and Temporal server survive. */
  readonly durability: Durability;
  readonly environment: NodeJS.ProcessEnv;
  /** Told what is being done, a line each. */
  readonly say: (line: string) => void;
}
