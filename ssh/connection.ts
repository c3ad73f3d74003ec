import type { Duplex } from 'node:stream';
import PQueue from 'p-queue';
import pRetry from 'p-retry';
import type { Client } from 'ssh2';
import { measureSshLogin } from '../metrics/instruments.ts';
import { DroppedConnection, type LoginOptions, type LoginTarget, logIn } from './log-in.ts';

export interface Machine extends LoginTarget {
  /** Identifies the sshd: two machines with equal addresses are one sshd. */
  readonly address: string;
  /** True when other work waits for this machine: its login comes before all others. */
  readonly isUrgent?: boolean | undefined;
  /** Opens a stream to the SSH port of the machine. */
  reach(): Promise<Duplex>;
}

/**
 * sshd counts the connections of all clients that have not logged in yet. From ten on it drops new ones at random, from
 * a hundred on all of them (MaxStartups 10:30:100, sshd_config(5)). Four leave room for a second worker process and for
 * people.
 */
const LOGINS_PER_MACHINE = 4;
/** A key exchange costs processor time: with hundreds at once, all of them would take too long. */
const LOGINS_AT_ONCE = 50;
const BACK_OFF = { retries: Number.POSITIVE_INFINITY, minTimeout: 250, maxTimeout: 4_000, randomize: true } as const;

const exchanges = new PQueue({ concurrency: LOGINS_AT_ONCE });
const doors = new Map<string, PQueue>();

/**
 * Opens one SSH connection. It waits until fewer than four logins to the machine are under way. When sshd drops the
 * connection at once, it tries again, with growing pauses, for as long as `timeoutMs`.
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY; what `reach` and the host key policy throw; the
 * signal's reason when aborted
 */
export function connect(machine: Machine, options: LoginOptions): Promise<Client> {
  const { timeoutMs, signal } = options;
  const again = { ...BACK_OFF, maxRetryTime: timeoutMs, shouldRetry: isDropped, ...(signal ? { signal } : {}) };
  const logInAgain = () => measureSshLogin(pRetry(() => attempt(machine, options), again));
  return loginQueueOf(machine).add(logInAgain, placeOf(machine, signal));
}

function placeOf({ isUrgent = false }: Machine, signal: AbortSignal | undefined) {
  return { priority: isUrgent ? 1 : 0, ...(signal ? { signal } : {}) };
}

function isDropped({ error }: { readonly error: Error }): boolean {
  return error instanceof DroppedConnection;
}

function loginQueueOf({ address }: Machine): PQueue {
  const known = doors.get(address);
  if (known) return known;
  const door = new PQueue({ concurrency: LOGINS_PER_MACHINE });
  doors.set(address, door);
  door.addEventListener('idle', () => doors.delete(address));
  return door;
}

/**
 * Opens the stream before it takes a place among the key exchanges, so that a dead machine takes no place from the
 * others.
 */
async function attempt(machine: Machine, options: LoginOptions): Promise<Client> {
  const { signal } = options;
  const stream = await machine.reach();
  try {
    return await exchanges.add(() => logIn(machine, stream, options), placeOf(machine, signal));
  } catch (error) {
    stream.destroy(); // the login may have been aborted while it waited in the queue
    throw error;
  }
}
