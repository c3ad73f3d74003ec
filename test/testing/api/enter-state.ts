import type { Database } from '../../../store/open-store.ts';
import { recordOperationState, type StateChange } from '../../../store/operations.ts';

let seq = 0;

/** Number of the next record, over all operations: numbers only have to grow. */
export function nextSeq(): number {
  seq += 1;
  return seq;
}

/** Writes a state as the workflow's activity does. */
export function enterState(db: Database, id: string, change: Omit<StateChange, 'seq'>): Promise<void> {
  return recordOperationState(db, id, { ...change, seq: nextSeq() });
}
