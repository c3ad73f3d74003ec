import type { LedgerEntry } from '../simulator/index.ts';

/** Server ids of the nodes before an operation. */
export interface NodesBefore {
  readonly controlPlane: ReadonlySet<string>;
  readonly workers: ReadonlySet<string>;
}

/** Three numbers: for nodes that the operation adds, for older control-plane nodes, and for older workers. */
export interface PerNode {
  readonly fresh: number;
  readonly controlPlane: number;
  readonly workers: number;
}

/**
 * The cost of an operation. Polls of jobs and stacks are not counted, because their number depends only on the
 * duration. A command that is repeated on a node until it succeeds counts once.
 */
export interface OperationCounts {
  readonly logins: PerNode;
  readonly commands: PerNode;
  readonly heatCalls: number;
}

/** Counts the cost of an operation. @param entries of the ledger, from the request to the end of the operation */
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

/** True for a command of the install script, and for a command with which a session reads or changes the cluster. */
function isWork({ what, detail }: LedgerEntry): boolean {
  return detail?.['ofUnit'] === true || /^(sudo -n )?kubectl /.test(what);
}

/** True for `GET …/stacks/NAME/ID`, which reads the status of a stack. */
function isStackPoll(requestLine: string): boolean {
  return /^GET \S*\/stacks\/[^/]+\/[^/?]+(\?\S*)?$/.test(requestLine);
}
