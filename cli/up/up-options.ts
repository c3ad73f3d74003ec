import type { Durability } from '../../worker/configuration.ts';

/** The options of `vnflow up`. */
export interface UpOptions {
  /** The data directory. */
  readonly data: string;
  /** Port of the API. Undefined: 9890, or another port when 9890 is taken. */
  readonly port?: number;
  /** gRPC port of the Temporal server. Undefined: that of the last run, 17233, or another port when it is taken. */
  readonly temporalPort?: number;
  /** Speed of the simulator. */
  readonly speed?: number;
  /** Compute hosts of the simulator. Undefined: as many as its world has, 6 for a new world. */
  readonly hosts?: number;
  /** False: vnflow uses a real OpenStack, whose Keystone is VNFLOW_KEYSTONE_URL or OS_AUTH_URL. */
  readonly simulator: boolean;
  /** postgresql://… instead of the embedded store. */
  readonly databaseUrl?: string;
  /** Durability of the embedded store and the Temporal server. */
  readonly durability: Durability;
  readonly environment: NodeJS.ProcessEnv;
  /** Prints a line about the progress. */
  readonly say: (line: string) => void;
}
