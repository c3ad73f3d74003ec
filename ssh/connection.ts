import type { Duplex } from 'node:stream';
import PQueue from 'p-queue';
import pRetry from 'p-retry';
import type { Client } from 'ssh2';
import { DroppedConnection, type LoginOptions, type LoginTarget, logIn } from './log-in.ts';

export interface Machine extends LoginTarget {
  /** Which sshd it is; two that lead to one sshd are equal. */
  readonly address: string;
  /** Opens a stream to the machine's SSH port. */
  reach(): Promise<Duplex>;
}

/**
 * sshd counts the connections that have not logged in yet, of all clients together. From ten on it drops new ones at random, from a hundred
 * on all (MaxStartups 10:30:100, sshd_config(5)). Four leave room for a second worker process and for people.
 */
const LOGINS_PER_MACHINE = 4;
/** A key exchange is work for the processor: hundreds at once would all take too long. */
const LOGINS_AT_ONCE = 50;
const BACK_OFF = { retries: Number.POSITIVE_INFINITY, minTimeout: 250, maxTimeout: 4_000, randomize: true } as const;

const exchanges = new PQueue({ concurrency: LOGINS_AT_ONCE });
const doors = new Map<string, PQueue>();

/**
 * One SSH connection. It waits for its turn at the machine; a connection that sshd drops at once is tried again, with growing pauses,
 * for as long as `timeoutMs`.
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY; what `reach` and the host key policy throw; the signal's reason when aborted
 */
export function connect(machine: Machine, options: LoginOptions): Promise<Client> {
  const { timeoutMs, signal } = options;
  const again = { ...BACK_OFF, maxRetryTime: timeoutMs, shouldRetry: isDropped, ...(signal ? { signal } : {}) };
  return doorOf(machine).add(() => pRetry(() => attempt(machine, options), again), signal ? { signal } : {});
}

function isDropped({ error }: { readonly error: Error }): boolean {
  return error instanceof DroppedConnection;
}

function doorOf({ address }: Machine): PQueue {
  const known = doors.get(address);
  if (known) return known;
  const door = new PQueue({ concurrency: LOGINS_PER_MACHINE });
  doors.set(address, door);
  door.addEventListener('idle', () => doors.delete(address));
  return door;
}

/** The way to the machine is open before a place among the key exchanges is taken: a dead machine takes none from the others. */
async function attempt(machine: Machine, options: LoginOptions): Promise<Client> {
  const { signal } = options;
  const stream = await machine.reach();
  try {
    return await exchanges.add(() => logIn(machine, stream, options), signal ? { signal } : {});
  } catch (error) {
    stream.destroy(); // it may have waited in vain
    throw error;
  }
}
