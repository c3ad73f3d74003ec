import { randomUUID } from 'node:crypto';
import type { Persistence } from './persistence.ts';

/** A failure as it lies in the list: what was ordered, its id, and how often it struck so far. */
export type Ordered<F> = F & { readonly id: string; readonly struck: number };

/** Failures that were ordered and will still strike. They outlive the process like the world that they strike. */
export interface FaultList<F extends { readonly times?: number | undefined }> {
  add(fault: F): Ordered<F>;
  list(): readonly Ordered<F>[];
  /** Removes one, or all of them. @returns whether there was something to remove */
  remove(id?: string): boolean;
  /** Counts a strike; a fault that struck `times` often is gone. */
  strike(id: string): void;
}

/** @param name of the part that holds them */
export function createFaultList<F extends { readonly times?: number | undefined }>(
  persistence: Persistence,
  name: string,
): FaultList<F> {
  const part = persistence.part<{ faults: readonly Ordered<F>[] }>(name, () => ({ faults: [] }));
  const { state } = part;
  return {
    add: (fault) => {
      const ordered = { ...fault, id: randomUUID(), struck: 0 };
      state.faults = [...state.faults, ordered];
      part.flush();
      return ordered;
    },
    list: () => state.faults,
    remove: (id) => {
      const before = state.faults.length;
      state.faults = id === undefined ? [] : state.faults.filter((fault) => fault.id !== id);
      if (state.faults.length === before) return false;
      part.flush();
      return true;
    },
    strike: (id) => {
      state.faults = state.faults.flatMap((fault) => {
        if (fault.id !== id) return [fault];
        const struck = fault.struck + 1;
        return struck === fault.times ? [] : [{ ...fault, struck }];
      });
      part.changed();
    },
  };
}
