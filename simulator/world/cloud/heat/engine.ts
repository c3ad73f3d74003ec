import type { Stack, StackAction } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { Convergence } from './convergence.ts';
import { createRemoval, type EngineParts } from './removal.ts';
import { type Run, reasonOf, TimedOut } from './run.ts';
import type { StackStore } from './stack-store.ts';

/** Makes stacks match their templates, in the background. */
export interface Engine {
  /** Sets the status of the stack and starts to work on it; supersedes the work in progress. */
  begin(root: Stack, action: StackAction): void;
  /** Continues with every stack that was in progress when the simulator stopped. */
  resume(): void;
  stop(): Promise<void>;
}

export function createEngine(parts: EngineParts): Engine {
  const { foundation, store } = parts;
  const { state, clock, changed } = foundation;
  const runs = new Map<string, Run>();
  const removal = createRemoval(parts);
  const convergence = new Convergence(parts, removal);

  /** The work that an action replaces: that of the stack itself, and that of nested stacks that a signal began. */
  const replacedRuns = (stack: Stack) =>
    [...runs].filter(([id]) => id === stack.id || isBelow(state.stacks[id], stack)).map(([, run]) => run);

  const isBelow = (stack: Stack | undefined, ancestor: Stack): boolean => {
    const parent = stack?.parentId == null ? undefined : state.stacks[stack.parentId];
    return parent !== undefined && (parent === ancestor || isBelow(parent, ancestor));
  };

  const launch = (root: Stack) => {
    const before = replacedRuns(root);
    for (const run of before) run.controller.abort();
    const run: Run = { controller: new AbortController(), halted: false, pending: new Set(), done: Promise.resolve() };
    run.done = (async () => {
      await Promise.all(before.map(({ done }) => done));
      await perform(root, run);
      await Promise.allSettled([...run.pending]);
      if (runs.get(root.id) === run) runs.delete(root.id);
    })();
    runs.set(root.id, run);
  };

  const begin: Engine['begin'] = (root, action) => {
    store.setStack(root, action, 'IN_PROGRESS');
    root.deadline = root.timeoutMins === null ? null : clock.elapsed() + root.timeoutMins * 60;
    changed();
    launch(root);
  };

  const perform = async (root: Stack, run: Run) => {
    const { signal } = run.controller;
    if (signal.aborted) return;
    watchDeadline(root, run);
    try {
      if (root.action === 'DELETE') await removal.removeAll(root, run);
      else if (root.action === 'ROLLBACK' && root.previous === null) await removal.removeAll(root, run);
      else await convergence.converge(root, run);
      if (!signal.aborted) complete(root, run);
    } catch (error) {
      run.halted = true;
      if (signal.aborted && !(signal.reason instanceof TimedOut)) return; // the run was superseded, or the simulator stops
      fail(root, run, signal.aborted ? 'Timed out' : reasonOf(error));
    }
  };

  const complete = (root: Stack, run: Run) => {
    root.deadline = null;
    store.setStack(root, root.action, 'COMPLETE');
    if (root.action === 'DELETE') store.bury(root);
    run.controller.abort(); // ends the timer of the deadline
  };

  const fail = (root: Stack, run: Run, reason: string) => {
    const wantsRollback = !root.disableRollback && (root.action === 'CREATE' || root.action === 'UPDATE');
    if (reason === 'Timed out') abandon(foundation.state, store, root);
    if (wantsRollback) {
      if (root.action === 'UPDATE' && root.previous) root.source = root.previous;
      run.controller.abort();
      begin(root, 'ROLLBACK');
      return;
    }
    root.deadline = null;
    store.setStack(root, root.action, 'FAILED', reason);
  };

  const watchDeadline = (root: Stack, run: Run) => {
    if (root.deadline === null || root.action === 'DELETE') return;
    clock
      .sleep(Math.max(0, root.deadline - clock.elapsed()), run.controller.signal)
      .then(() => run.controller.abort(new TimedOut()))
      .catch(() => undefined);
  };

  return {
    begin,
    resume: () => {
      for (const stack of Object.values(state.stacks)) {
        const parent = state.stacks[stack.parentId ?? ''];
        if (stack.progress === 'IN_PROGRESS' && parent?.progress !== 'IN_PROGRESS') launch(stack);
      }
    },
    stop: async () => {
      for (const run of runs.values()) run.controller.abort();
      await Promise.allSettled([...runs.values()].map(({ done }) => done));
    },
  };
}

/** Marks everything in progress below a timed-out stack as failed. */
function abandon(state: Foundation['state'], store: StackStore, root: Stack): void {
  const visit = (stack: Stack) => {
    for (const row of Object.values(stack.resources)) {
      if (row.progress !== 'IN_PROGRESS') continue;
      store.setResource(
        stack,
        row,
        row.action,
        'FAILED',
        `${row.action} aborted (Task ${row.action.toLowerCase()} from ${row.type} "${row.name}" Timed out)`,
      );
      const nested = state.stacks[row.physicalId];
      if (!nested) continue;
      visit(nested);
      store.setStack(nested, nested.action, 'FAILED', 'Timed out');
    }
  };
  visit(root);
}
