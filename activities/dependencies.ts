import type { Logger } from 'pino';
import type { HostRules } from '../network/host-rules.ts';
import type { ClusterBackups } from '../store/cluster-backups.ts';
import type { Database } from '../store/open-store.ts';
import type { RegistryCopies } from '../store/registry-copies.ts';
import type { Secrets } from '../store/secrets.ts';

/** The host through which nodes are reached. */
export interface Bastion {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
  /** Fingerprints of the keys that it may show. Undefined: the key of the first contact is pinned. */
  readonly hostKeys?: readonly string[];
}

/** How long the activities wait, and how often they look. Times in seconds. */
export interface Pace {
  /** First and longest pause between two looks at a stack or a job. */
  readonly poll: { readonly first: number; readonly longest: number };
  /** The longest time from the stack's completion until a node answers over SSH. */
  readonly bootLimit: number;
  /** How long a node that was prepared may be unreachable before the step fails, and is tried again. */
  readonly reachLimit: number;
  /** One attempt to log in to a node, or to the bastion, ends after this time. */
  readonly connectLimit: number;
  /** cloud-init sets the password some time after sshd is up: for this long a refused login is repeated. */
  readonly authGrace: number;
  /** How long a new server's console may take to announce its host key: cloud-init prints it in its last stage. */
  readonly consoleGrace: number;
  /** The shortest time between two questions to Nova for the console of a server. */
  readonly consoleEvery: number;
  /**
   * After this time the node controller of a cluster has marked every node that does not report (40 s, and a reserve).
   */
  readonly nodeGrace: number;
  /**
   * How long the survey of a control plane is repeated while a node is in doubt: a short outage passes in this time.
   */
  readonly surveyLimit: number;
  /** Heat must have finished after this. */
  readonly stackLimit: number;
  /**
   * Nova must have stopped a server after this: a guest has 60 s to shut down (`shutdown_timeout`), then it is switched
   * off.
   */
  readonly stopLimit: number;
}

/** @internal exported for tests */
export const DEFAULT_PACE: Pace = {
  poll: { first: 0.25, longest: 1.5 },
  bootLimit: 900,
  reachLimit: 60,
  connectLimit: 15,
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

/** Mebibytes of a private registry that the store keeps at most while its server is replaced. */
export const DEFAULT_REGISTRY_COPY_MIB = 256;

/** What activities need from their process. The worker hands it over once, when it starts. */
export interface ActivityDependencies {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly bastion?: Bastion;
  /** Hosts that VIMs may have. Undefined: none on loopback, a link, a metadata service, or this machine. */
  readonly vimHosts?: HostRules;
  /** CA certificates for a VIM that names none. Undefined: those of Node. */
  readonly openstackCa?: readonly string[] | undefined;
  readonly backups: BackupSettings & { readonly store: ClusterBackups };
  /** Where copies of private registries are kept, and the largest copy in bytes. */
  readonly registryCopies: { readonly store: RegistryCopies; readonly limitBytes: number };
  readonly pace: Pace;
  /** Whether code of packages may run (`VNFLOW_ALLOW_PACKAGE_CODE`). Undefined: it may not. */
  readonly allowPackageCode?: boolean | undefined;
  /** The build of vnflow that runs: operations and steps show it. */
  readonly build: string;
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
