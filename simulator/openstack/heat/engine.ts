import type { Foundation } from '../foundation.ts';
import { type Json, type JsonObject, same } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Resource, Stack, StackAction, StackSource } from '../world.ts';
import type { Design, Designer } from './design.ts';
import { NotYet } from './functions.ts';
import { groupKindOf, groupTemplate } from './groups.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';
import type { StackStore } from './stack-store.ts';
import type { Validator } from './validation.ts';

/** Brings stacks to what their templates say, in the background. */
export interface Engine {
  /** Sets the stack's status and works on it; supersedes what was under way. */
  begin(root: Stack, action: StackAction): void;
  /** Goes on with every stack that was in progress when the simulator stopped. */
  resume(): void;
  stop(): Promise<void>;
}

/** One pursuit of a root stack's action. */
interface Run {
  readonly controller: AbortController;
  /** A resource failed: nothing new is started. */
  halted: boolean;
  readonly pending: Set<Promise<void>>;
  done: Promise<void>;
}

class Halted extends Error {}
class TimedOut extends Error {}

interface Parts {
  readonly foundation: Foundation;
  readonly designer: Designer;
  readonly validator: Validator;
  readonly store: StackStore;
}

export function createEngine(parts: Parts): Engine {
  const { foundation, store } = parts;
  const { state, clock, changed } = foundation;
  const runs = new Map<string, Run>();
  const work = createWork(parts);

  const launch = (root: Stack) => {
    const before = runs.get(root.id);
    before?.controller.abort();
    const run: Run = { controller: new AbortController(), halted: false, pending: new Set(), done: Promise.resolve() };
    run.done = (async () => {
      await before?.done;
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
      if (root.action === 'DELETE') await work.removeAll(root, run);
      else if (root.action === 'ROLLBACK' && root.previous === null) await work.removeAll(root, run);
      else await work.converge(root, run);
      if (!signal.aborted) complete(root, run);
    } catch (error) {
      run.halted = true;
      if (signal.aborted && !(signal.reason instanceof TimedOut)) return; // superseded, or the simulator stops
      fail(root, run, signal.aborted ? 'Timed out' : reasonOf(error));
    }
  };

  const complete = (root: Stack, run: Run) => {
    root.deadline = null;
    store.setStack(root, root.action, 'COMPLETE');
    if (root.action === 'DELETE') store.bury(root);
    run.controller.abort(); // ends the deadline's watch
  };

  const fail = (root: Stack, run: Run, reason: string) => {
    const wantsRollback = !root.disableRollback && (root.action === 'CREATE' || root.action === 'UPDATE');
    if (reason === 'Timed out') work.abandon(root);
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
        if (stack.parentId === null && stack.progress === 'IN_PROGRESS') launch(stack);
      }
    },
    stop: async () => {
      for (const run of runs.values()) run.controller.abort();
      await Promise.allSettled([...runs.values()].map(({ done }) => done));
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof StackFailure) return error.message;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return String(error);
}

/** A stack failed because of one of its resources. */
class StackFailure extends Error {
  readonly failure: ResourceFailure;
  constructor(action: string, failure: ResourceFailure) {
    super(`Resource ${action} failed: ${failure.message}`);
    this.failure = failure;
  }
}

interface Work {
  converge(stack: Stack, run: Run): Promise<void>;
  removeAll(stack: Stack, run: Run): Promise<void>;
  /** Everything in progress below a timed-out stack fails. */
  abandon(root: Stack): void;
}

/** Where one resource is worked on. */
interface Place {
  readonly stack: Stack;
  readonly design: Design;
  readonly name: string;
  readonly run: Run;
}

function createWork({ foundation, designer, validator, store }: Parts): Work {
  const { state, clock, latency, chance, faults, changed } = foundation;

  const converge = async (stack: Stack, run: Run): Promise<void> => {
    const design = readDesign(designer, stack);
    retireMissing(stack, design);
    for (const name of Object.keys(design.resources)) {
      const row = stack.resources[name] ?? store.addResource(stack, name, design.resources[name]?.type ?? '');
      row.requires = [...(design.requirements.get(name) ?? [])];
    }
    changed();
    await inOrder(design, run, (name) => track(run, bring({ stack, design, name, run })));
    await removeRows(stack, stack.obsolete, { run, onGone: (row) => dropObsolete(stack, row) });
  };

  const retireMissing = (stack: Stack, design: Design) => {
    for (const row of Object.values(stack.resources)) if (!design.resources[row.name]) retire(stack, row);
  };

  const retire = (stack: Stack, row: Resource) => {
    delete stack.resources[row.name];
    if (row.physicalId !== '') stack.obsolete.push(row);
    changed();
  };

  const dropObsolete = (stack: Stack, row: Resource) => {
    stack.obsolete = stack.obsolete.filter((other) => other !== row);
  };

  /** One resource: create, replace, update or leave alone. */
  const bring = async (place: Place): Promise<void> => {
    const { stack, design, name } = place;
    const definition = design.resources[name];
    const row = stack.resources[name];
    if (!definition || !row) return;
    const isNested = designer.isNested(definition.type, stack.source);
    const isNew = row.action === 'INIT' || (row.action === 'CREATE' && row.progress === 'IN_PROGRESS');
    if (row.type !== definition.type || isBroken(row, isNested)) return replace(place, row);
    if (isNested) return bringNested(place, row, isNew ? 'CREATE' : 'UPDATE');
    const properties = evaluateFor(place);
    if (isNew) {
      if (row.properties && !same(row.properties, properties)) return replace(place, row);
      return create(place, row, properties);
    }
    const before = row.properties ?? {};
    const changes = [...new Set([...Object.keys(before), ...Object.keys(properties)])].filter(
      (key) => !same(before[key], properties[key]),
    );
    if (changes.length === 0 && row.progress === 'COMPLETE') return;
    const kind = designer.kind(row.type);
    if (!kind?.update || !changes.every((key) => kind.properties[key]?.live)) return replace(place, row);
    await updateInPlace(place, row, { kind, properties });
  };

  const evaluateFor = ({ stack, design, name }: Place): JsonObject => {
    try {
      return designer.properties(stack, design, name);
    } catch (error) {
      if (error instanceof NotYet) throw new ResourceFailure('NotFound', `The value of ${error.message} is not known`);
      if (error instanceof Refusal) throw new ResourceFailure(error.type, error.message);
      throw error;
    }
  };

  const create = (place: Place, row: Resource, properties: JsonObject) =>
    attempt(place, row, 'CREATE', async () => {
      await strike(place, row);
      const kind = kindOf(row);
      checkNames(place, kind, properties);
      row.properties = properties;
      await kind.create(taskFor(place, row, properties));
    });

  const updateInPlace = (place: Place, row: Resource, at: { kind: ResourceKind; properties: JsonObject }) =>
    attempt(place, row, 'UPDATE', async () => {
      await strike(place, row);
      const before = row.properties ?? {};
      await at.kind.update?.(taskFor(place, row, at.properties), before);
      row.properties = at.properties;
    });

  /** A new one takes its place; the old one is deleted when all else is done. */
  const replace = async (place: Place, row: Resource) => {
    designer.kind(row.type)?.beforeReplacement?.(row);
    retire(place.stack, row);
    if (row.physicalId !== '') await clock.sleep(latency.resource, place.run.controller.signal);
    const fresh = store.addResource(place.stack, row.name, place.design.resources[row.name]?.type ?? row.type);
    fresh.requires = [...(place.design.requirements.get(row.name) ?? [])];
    await bring(place);
  };

  /** A resource that is a stack of its own. */
  const bringNested = (place: Place, row: Resource, action: 'CREATE' | 'UPDATE') =>
    attempt(place, row, action, async () => {
      await strike(place, row);
      const properties = evaluateFor(place);
      const existing = state.stacks[row.physicalId];
      const source = nestedSource(place, { row, properties, existing });
      const nested = existing ?? store.addNested(place.stack, row, source);
      row.physicalId = nested.id;
      row.properties = properties;
      nested.source = source;
      await convergeNested(nested, action, place.run);
    });

  const convergeNested = async (nested: Stack, action: StackAction, run: Run) => {
    store.setStack(nested, action, 'IN_PROGRESS');
    try {
      await converge(nested, run);
      store.setStack(nested, action, 'COMPLETE');
    } catch (error) {
      if (!run.controller.signal.aborted) store.setStack(nested, action, 'FAILED', reasonOf(error));
      throw error;
    }
  };

  const nestedSource = (
    { stack, design, name }: Place,
    at: { row: Resource; properties: JsonObject; existing: Stack | undefined },
  ): StackSource => {
    const inherited = { files: stack.source.files, registry: stack.source.registry };
    const type = design.resources[name]?.type ?? at.row.type;
    if (groupKindOf(type)) {
      const text = groupTemplate(type, at.properties, { nested: at.existing, newName: () => chance.letters(12) });
      return { ...inherited, template: designer.intern(text), parameters: {}, parameterDefaults: {} };
    }
    const file = designer.fileOf(type, stack.source) ?? '';
    return {
      ...inherited,
      template: stack.source.files[file] ?? '',
      parameters: at.properties as Record<string, Json>,
      parameterDefaults: stack.source.parameterDefaults,
    };
  };

  /** Sets the statuses around a piece of work. */
  const attempt = async (place: Place, row: Resource, action: 'CREATE' | 'UPDATE', body: () => Promise<void>) => {
    const { stack, run } = place;
    if (row.action !== action || row.progress !== 'IN_PROGRESS') store.setResource(stack, row, action, 'IN_PROGRESS');
    try {
      await body();
      store.setResource(stack, row, action, 'COMPLETE');
    } catch (error) {
      if (run.controller.signal.aborted) throw error;
      if (error instanceof Halted) {
        store.setResource(stack, row, action, 'FAILED', `${action} aborted (user triggered cancel)`);
        throw error;
      }
      run.halted = true;
      const inner = error instanceof StackFailure ? error.failure : asFailure(error);
      const failure = inner.inside(row.name);
      store.setResource(stack, row, action, 'FAILED', failure.message);
      throw new StackFailure(action, failure);
    }
  };

  const strike = async ({ stack, run }: Place, row: Resource) => {
    if (row.physicalId !== '' && row.action === 'CREATE') return; // goes on after an interruption
    const effect = faults.strikeResource(`${stack.name}/${row.name}`);
    if (effect?.stuck) await untilAborted(run.controller.signal);
    if (effect?.delaySeconds !== undefined) await clock.sleep(effect.delaySeconds, run.controller.signal);
    if (effect?.resourceFails === undefined) return;
    await clock.sleep(latency.resource, run.controller.signal);
    throw new ResourceFailure('ResourceInError', effect.resourceFails);
  };

  const checkNames = ({ stack }: Place, kind: ResourceKind, properties: JsonObject) => {
    for (const [property, rule] of Object.entries(kind.properties)) {
      const value = properties[property];
      if (rule.names === undefined || typeof value !== 'string') continue;
      const problem = validator.nameProblem(rule.names, value, stack.projectId);
      if (problem)
        throw new ResourceFailure(
          'StackValidationFailed',
          `Property error: ${property}: Error validating value '${value}': ${problem}`,
        );
    }
  };

  const kindOf = (row: Resource): ResourceKind => {
    const kind = designer.kind(row.type);
    if (!kind) throw new ResourceFailure('NotFound', `The Resource Type (${row.type}) could not be found.`);
    return kind;
  };

  const taskFor = (
    { stack, run }: Pick<Place, 'stack' | 'run'>,
    row: Resource,
    properties: JsonObject,
  ): ResourceTask => ({
    stack,
    resource: row,
    properties,
    physicalName: `${stack.name}-${row.name}-${row.tag}`,
    signal: run.controller.signal,
    wait: (seconds) => clock.sleep(seconds, run.controller.signal),
    identify: (physicalId) => {
      row.physicalId = physicalId;
      changed();
    },
  });

  /** Removes rows, dependents first; all that may go at once goes at once. */
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
      const nested = state.stacks[row.physicalId];
      if (nested) await removeNested(nested, run);
      else await kindOf(row).remove(taskFor({ stack, run }, row, row.properties ?? {}));
      store.event(stack, row, 'DELETE_COMPLETE', 'state changed');
    } catch (error) {
      if (run.controller.signal.aborted || error instanceof Halted) throw error;
      run.halted = true;
      const failure = (error instanceof StackFailure ? error.failure : asFailure(error)).inside(row.name);
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

  const abandon = (root: Stack) => {
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
  };

  return { converge, removeAll, abandon };
}

/** A failed resource is replaced; a failed nested stack that exists is repaired inside, unless it was marked itself. */
function isBroken({ action, progress, physicalId }: Resource, isNested: boolean): boolean {
  if (action === 'DELETE') return true;
  if (progress !== 'FAILED') return false;
  if (action === 'CHECK') return true;
  if (action === 'UPDATE') return false;
  return !isNested || physicalId === '';
}

function readDesign(designer: Designer, stack: Stack): Design {
  try {
    return designer.design(stack.source);
  } catch (error) {
    if (error instanceof Refusal) throw new ResourceFailure(error.type, error.message);
    throw error;
  }
}

function asFailure(error: unknown): ResourceFailure {
  if (error instanceof ResourceFailure) return error;
  if (error instanceof Refusal)
    return new ResourceFailure(error.status === 409 ? 'Conflict' : 'BadRequest', error.message);
  return new ResourceFailure('Exception', error instanceof Error ? error.message : String(error));
}

/** Works on all names, each when what it requires is done. */
async function inOrder(design: Design, run: Run, work: (name: string) => Promise<void>): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const start = (name: string): Promise<void> => {
    const known = started.get(name);
    if (known) return known;
    const job = (async () => {
      await Promise.all((design.requirements.get(name) ?? []).map(start));
      run.controller.signal.throwIfAborted();
      if (run.halted) throw new Halted();
      await work(name);
    })();
    started.set(name, job);
    return job;
  };
  await Promise.all([...design.requirements.keys()].map(start));
}

/** Remembers work in flight, so that the next action starts when it has ended. */
function track(run: Run, job: Promise<void>): Promise<void> {
  run.pending.add(job);
  job.then(
    () => run.pending.delete(job),
    () => run.pending.delete(job),
  );
  return job;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
