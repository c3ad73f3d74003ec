import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One event of the simulated cloud. Tests assert on events, also to prove that something was not done. */
export interface LedgerEntry {
  readonly seq: number;
  /** Wall-clock time, ISO 8601. */
  readonly at: string;
  /** Simulated seconds since the world began. */
  readonly elapsed: number;
  readonly kind:
    | 'http'
    | 'login'
    | 'login-refused'
    | 'ssh-limit'
    | 'command'
    | 'phase'
    | 'exit'
    | 'machine'
    | 'etcd'
    | 'proxy'
    | 'fault';
  /**
   * The place: node name or server id for node events, service name (heat, nova, …) for http, endpoint of the API for
   * etcd.
   */
  readonly where: string;
  /**
   * The request line (`proxy`: as the proxy of the site gets it), user name, command line, phase, or limit of sshd. It
   * never contains a password or a body.
   */
  readonly what: string;
  /**
   * Details. Node events have `server` (its id), a phase has `unit`, its exit has `unit` and `code`, and a command that a unit runs has `ofUnit`. Names
   * of nodes change, ids do not.
   */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

export interface Ledger {
  record(entry: Pick<LedgerEntry, 'kind' | 'where' | 'what'> & { detail?: LedgerEntry['detail'] }): void;
  entries(after?: number): readonly LedgerEntry[];
}

/**
 * @param elapsed reads the clock
 * @param directory holds `ledger.jsonl`; undefined when the ledger lives in memory only
 */
export function createLedger(elapsed: () => number, directory?: string): Ledger {
  const file = directory === undefined ? undefined : path.join(directory, 'ledger.jsonl');
  const entries: LedgerEntry[] = file !== undefined && existsSync(file) ? readLines(file) : [];
  return {
    record: ({ kind, where, what, detail }) => {
      const entry: LedgerEntry = {
        seq: (entries.at(-1)?.seq ?? 0) + 1,
        at: new Date().toISOString(),
        elapsed: Math.round(elapsed() * 1000) / 1000,
        kind,
        where,
        what,
        ...(detail ? { detail } : {}),
      };
      entries.push(entry);
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
    entries: (after = 0) => entries.filter((entry) => entry.seq > after),
  };
}

function readLines(file: string): LedgerEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as LedgerEntry];
      } catch {
        return []; // a kill -9 may have cut the last line
      }
    });
}
