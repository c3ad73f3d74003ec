import type { Resource, Stack } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import type { JsonObject } from '../json.ts';
import type { Designer } from './design.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';
import { convertToFailure, Halted, type Run, reasonOf, StackFailure, track } from './run.ts';
import type { StackStore } from './stack-store.ts';
import { strike } from './strike.ts';
import type { Validator } from './validation.ts';

/** The parts that work on stacks. */
export interface EngineParts {
  readonly foundation: Foundation;
  readonly designer: Designer;
  readonly validator: Validator;
  readonly store: StackStore;
}

/** Deletes resources of stacks. */
export interface Removal {
  /** Deletes everything in a stack. */
  removeAll(stack: Stack, run: Run): Promise<void>;
  /** Deletes resources that were replaced or are no longer in the template. */
  removeObsolete(stack: Stack, run: Run): Promise<void>;
}

/** Returns the kind of a resource. @throws ResourceFailure for an unknown type */
export function kindOf({ designer }: Pick<EngineParts, 'designer'>, row: Resource): ResourceKind {
  const kind = designer.kind(row.type);
  if (!kind) throw new ResourceFailure('NotFound', `The Resource Type (${row.type}) could not be found.`);
  return kind;
}

export function taskFor(
  { foundation }: Pick<EngineParts, 'foundation'>,
  { stack, run }: { readonly stack: Stack; readonly run: Run },
  at: { readonly row: Resource; readonly properties: JsonObject },
): ResourceTask {
  const { row, properties } = at;
  return {
    stack,
    resource: row,
    properties,
    physicalName: `${stack.name}-${row.name}-${row.tag}`,
    signal: run.controller.signal,
    wait: (seconds) => foundation.clock.sleep(seconds, run.controller.signal),
    identify: (physicalId) => {
      row.physicalId = physicalId;
      foundation.changed();
    },
  };
}

export function createRemoval(parts: EngineParts): Removal {
  const { foundation, store } = parts;
  const { state, changed } = foundation;

  const dropObsolete = (stack: Stack, row: Resource) => {
    stack.obsolete = stack.obsolete.filter((other) => other !== row);
  };

  /** Removes rows, dependents first. Rows that do not depend on each other go at once. */
  const removeRows = async (
    stack: Stack,
    rows: readonly Resource[],
    at: { run: Run; onGone: (row: Resource) => void },
  ) => {
    const needers = new Map<string, Resource[]>();
    for (const row of rows) for (const name of row.requires) needers.set(name, [...(needers.get(name) ?? []), row]);
    const started = new Map<Resource, Promise<void>>();
    const remove = (row: Resource): Promise<void> => {
      const known = started.get(row);
      if (known) return known;
      const job = (async () => {
        await Promise.all((needers.get(row.name) ?? []).filter((other) => other !== row).map(remove));
        if (at.run.halted) throw new Halted();
        await removeRow(stack, row, at.run);
        at.onGone(row);
        changed();
      })();
      started.set(row, job);
      return track(at.run, job);
    };
    await Promise.all([...rows].map(remove));
  };

  const removeRow = async (stack: Stack, row: Resource, run: Run) => {
    if (row.physicalId === '') return;
    store.setResource(stack, row, 'DELETE', 'IN_PROGRESS');
    try {
      if (row.isRetained) {
        store.event(stack, row, 'DELETE_COMPLETE', 'state changed');
        return;
      }
      await strike(foundation, 'DELETE', { stack, row, run });
      const nested = state.stacks[row.physicalId];
      if (nested) await removeNested(nested, run);
      else await kindOf(parts, row).remove(taskFor(parts, { stack, run }, { row, properties: row.properties ?? {} }));
      store.event(stack, row, 'DELETE_COMPLETE', 'state changed');
    } catch (error) {
      if (run.controller.signal.aborted || error instanceof Halted) throw error;
      run.halted = true;
      const failure = convertToFailure(error).inside(row.name);
      store.setResource(stack, row, 'DELETE', 'FAILED', failure.message);
      throw new StackFailure('DELETE', failure);
    }
  };

  const removeNested = async (nested: Stack, run: Run) => {
    store.setStack(nested, 'DELETE', 'IN_PROGRESS');
    try {
      await removeAll(nested, run);
    } catch (error) {
      if (!run.controller.signal.aborted) store.setStack(nested, 'DELETE', 'FAILED', reasonOf(error));
      throw error;
    }
    store.setStack(nested, 'DELETE', 'COMPLETE');
    store.forget(nested);
  };

  const removeAll = async (stack: Stack, run: Run) => {
    const rows = [...Object.values(stack.resources), ...stack.obsolete];
    const onGone = (row: Resource) => {
      if (stack.resources[row.name] === row) delete stack.resources[row.name];
      else dropObsolete(stack, row);
    };
    await removeRows(stack, rows, { run, onGone });
  };

  return {
    removeAll,
    removeObsolete: (stack, run) =>
      removeRows(stack, stack.obsolete, { run, onGone: (row) => dropObsolete(stack, row) }),
  };
}
