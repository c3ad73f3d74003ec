import type { Logger } from 'pino';
import type { ClusterBackups } from '../store/cluster-backups.ts';
import type { Database } from '../store/open-store.ts';
import type { Secrets } from '../store/secrets.ts';

/** Where nodes are reached from. */
export interface Bastion {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
}

/** How patient and how quick the activities are. Times in seconds. */
export interface Pace {
  /** First and longest pause between two looks at a stack or a job. */
  readonly poll: { readonly first: number; readonly longest: number };
  /** From the stack's completion until a node must answer over SSH. */
  readonly bootLimit: number;
  /** cloud-init sets the password some time after sshd is up: until then a refused login is tried again. */
  readonly authGrace: number;
  /** How long a new server's console may take to announce its host key: cloud-init prints it in its last stage. */
  readonly consoleGrace: number;
  /** Nova is asked for the console of a server at most this often. */
  readonly consoleEvery: number;
  /** After it the node controller of a cluster has missed every node that does not report (40 s, with a reserve). */
  readonly nodeGrace: number;
  /** How long it is asked again who of a control plane is alive, as long as that is in doubt: an outage of minutes passes by. */
  readonly surveyLimit: number;
  /** Heat must have finished after this. */
  readonly stackLimit: number;
  /** Nova must have stopped a server after this: a guest has 60 s to shut down (`shutdown_timeout`), then it is switched off. */
  readonly stopLimit: number;
}

/** @internal exported for tests */
export const DEFAULT_PACE: Pace = {
  poll: { first: 0.25, longest: 1.5 },
  bootLimit: 900,
  authGrace: 90,
  consoleGrace: 60,
  consoleEvery: 5,
  nodeGrace: 50,
  surveyLimit: 180,
  stackLimit: 1200,
  stopLimit: 300,
};

/** How often clusters are backed up besides the end of operations, and how many backups of each are kept. */
export interface BackupSettings {
  readonly everySeconds: number;
  readonly keep: number;
}

export const DEFAULT_BACKUPS: BackupSettings = { everySeconds: 6 * 3600, keep: 8 };

/** What activities need: handed over once, at the worker's start. */
export interface ActivityDependencies {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly bastion?: Bastion;
  readonly backups: BackupSettings & { readonly store: ClusterBackups };
  readonly pace: Pace;
  readonly log: Logger;
}

/** Default pace, shortened for a simulator that runs `speed` times faster. */
export function paceAt(speed: number): Pace {
  const { poll } = DEFAULT_PACE;
  return {
    ...DEFAULT_PACE,
    poll: { first: Math.max(0.02, poll.first / speed), longest: Math.max(0.1, poll.longest / speed) },
    authGrace: DEFAULT_PACE.authGrace / speed,
    consoleGrace: Math.max(2, DEFAULT_PACE.consoleGrace / speed),
    consoleEvery: DEFAULT_PACE.consoleEvery / speed,
    nodeGrace: DEFAULT_PACE.nodeGrace / speed,
    surveyLimit: Math.max(2, DEFAULT_PACE.surveyLimit / speed),
    stopLimit: Math.max(5, DEFAULT_PACE.stopLimit / speed),
  };
}
