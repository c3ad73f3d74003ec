import type { LedgerEntry } from '../simulator/index.ts';

/** The nodes as an operation finds them, by server id. */
export interface NodesBefore {
  readonly controlPlane: ReadonlySet<string>;
  readonly workers: ReadonlySet<string>;
}

/** Three numbers: on nodes that came with the operation, on control-plane nodes and on workers that were there before. */
export interface PerNode {
  readonly fresh: number;
  readonly controlPlane: number;
  readonly workers: number;
}

/**
 * What an operation cost. Looks at something that goes on are left out, as they only depend on how long it takes: those at jobs and
 * at stacks, and a command that is repeated on a node until it succeeds counts once.
 */
export interface OperationCounts {
  readonly logins: PerNode;
  readonly commands: PerNode;
  readonly heatCalls: number;
}

/** @param entries the ledger of the operation, from its request to its end */
export function countOperation(entries: readonly LedgerEntry[], before: NodesBefore): OperationCounts {
  const on = (kind: 'login' | 'command', wanted: (entry: LedgerEntry) => boolean): PerNode => {
    const found = entries.filter((entry) => entry.kind === kind && wanted(entry));
    const distinct = new Map(
      found.map((entry) => [kind === 'login' ? entry.seq : `${serverOf(entry)} ${entry.what}`, entry]),
    );
    const servers = [...distinct.values()].map(serverOf);
    const controlPlane = servers.filter((server) => before.controlPlane.has(server)).length;
    const workers = servers.filter((server) => before.workers.has(server)).length;
    return { fresh: servers.length - controlPlane - workers, controlPlane, workers };
  };
  return {
    logins: on('login', () => true),
    commands: on('command', isWork),
    heatCalls: entries.filter(({ kind, where, what }) => kind === 'http' && where === 'heat' && !isStackPoll(what))
      .length,
  };
}

function serverOf({ detail }: LedgerEntry): string {
  return String(detail?.['server']);
}

/** A command of the install script, or one of a session that asks or tells the cluster something. */
function isWork({ what, detail }: LedgerEntry): boolean {
  return detail?.['ofUnit'] === true || /^(sudo -n )?kubectl /.test(what);
}

/** `GET …/stacks/NAME/ID`: how does it stand? */
function isStackPoll(requestLine: string): boolean {
  return /^GET \S*\/stacks\/[^/]+\/[^/?]+(\?\S*)?$/.test(requestLine);
}
