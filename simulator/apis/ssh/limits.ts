import type { Duplex } from 'node:stream';
import type { Connection } from 'ssh2';
import type { Dice } from '../../kernel/dice.ts';

/** `MaxSessions` of sshd_config(5): session channels per connection. Forwarded streams do not count. */
export const MAX_SESSIONS = 10;
/**
 * `MaxStartups` of sshd_config(5): from `begin` connections without a login on, sshd drops `rate` percent of new ones,
 * rising to all of them at `full`.
 */
const MAX_STARTUPS = { begin: 10, rate: 30, full: 100 };

/** Counts the connections to one sshd that have not logged in. */
export interface Startups {
  /** @returns false when the connection was dropped */
  admit(stream: Duplex): boolean;
  loggedIn(stream: object): void;
}

/** @param onDrop called for each connection that is dropped */
export function createStartups(dice: Dice, onDrop: () => void): Startups {
  const unfinished = new Set<object>();
  return {
    admit: (stream) => {
      if (isDropped(unfinished.size, dice)) {
        onDrop();
        stream.on('error', () => {});
        stream.end('Exceeded MaxStartups\r\n', () => stream.destroy());
        return false;
      }
      unfinished.add(stream);
      stream.once('close', () => unfinished.delete(stream));
      return true;
    },
    loggedIn: (stream) => void unfinished.delete(stream),
  };
}

/** Decides like OpenSSH's should_drop_connection(). */
function isDropped(startups: number, dice: Dice): boolean {
  const { begin, rate, full } = MAX_STARTUPS;
  if (startups < begin) return false;
  if (startups >= full) return true;
  return dice() < rate + Math.floor(((100 - rate) * (startups - begin)) / (full - begin));
}

/** Parts of a connection that ssh2 hides: its stream, and the protocol message for a refused channel. */
interface Hidden {
  readonly _sock: Duplex;
  readonly _protocol: { channelOpenFail(recipient: number, reason: number, text?: string): void };
}

export function streamOf(connection: Connection): Duplex {
  return (connection as unknown as Hidden)._sock;
}

/** Makes a refused channel answer `open failed`, as sshd does; ssh2's server answers nothing. */
export function sayOpenFailed(connection: Connection): void {
  const protocol = (connection as unknown as Hidden)._protocol;
  const fail = protocol.channelOpenFail.bind(protocol);
  protocol.channelOpenFail = (recipient, reason, text) => fail(recipient, reason, text || 'open failed');
}
