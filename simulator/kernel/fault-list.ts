import { randomUUID } from 'node:crypto';
import type { Persistence } from './persistence.ts';

/** A fault in the list: the request, its id, and how often it has struck. */
export type Ordered<F> = F & { readonly id: string; readonly struck: number };

/** The faults that will still strike. They survive a restart of the process. */
export interface FaultList<F extends { readonly times?: number | undefined }> {
  add(fault: F): Ordered<F>;
  list(): readonly Ordered<F>[];
  /** Removes one fault, or all. @returns whether a fault was removed */
  remove(id?: string): boolean;
  /** Counts a strike. A fault that struck `times` times is removed. */
  strike(id: string): void;
}

/** @param name name of the persistent part that holds the faults */
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
