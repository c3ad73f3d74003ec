import { commandSeconds, type LatencyTable } from '../simulator/kernel/latency.ts';
import type { LedgerEntry } from '../simulator/kernel/ledger.ts';

/**
 * How long each phase of each node takes by the latency table alone: the sum of its commands, from the ledger of a run at
 * any speed.
 * @returns `node phase` → simulated seconds
 */
export function phaseSeconds(ledger: readonly LedgerEntry[], table: LatencyTable): Map<string, number> {
  const seconds = new Map<string, number>();
  const phase = new Map<string, string>();
  for (const { kind, where, what } of ledger) {
    if (kind === 'phase') phase.set(where, `${where} ${what}`);
    const current = phase.get(where);
    if (kind !== 'command' || current === undefined) continue;
    seconds.set(current, (seconds.get(current) ?? 0) + commandSeconds(table, what));
  }
  return seconds;
}
