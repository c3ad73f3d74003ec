import { foreignText } from '../../domain/foreign-text.ts';
import { table } from '../table.ts';
import type { Timeline } from '../vnfm/contract.ts';

/** Lists the steps of an operation by the ids that controls take. @returns lines */
export function stepLines({ steps }: Timeline): string[] {
  const rows = steps.map(({ id, state, attempt, summary, note, error, progress }) => [
    id,
    state,
    String(attempt),
    foreignText(
      [summary, note ?? progress ?? (state === 'SKIPPED' ? undefined : error?.detail)].filter(Boolean).join(': '),
    ),
  ]);
  return table(['STEP', 'STATE', 'ATTEMPT', 'WHAT'], rows);
}
