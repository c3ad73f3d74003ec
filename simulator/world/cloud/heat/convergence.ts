import type { Resource, Stack, StackAction, StackSource } from '../cloud-state.ts';
import { isSameJson, type Json, type JsonObject } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Design, Designer } from './design.ts';
import { NotYet } from './functions.ts';
import { groupKindOf, groupTemplate } from './groups.ts';
import { type EngineParts, kindOf, type Removal, taskFor } from './removal.ts';
import { ResourceFailure, type ResourceKind } from './resource-kind.ts';
import { convertToFailure, Halted, type Run, reasonOf, runInOrder, StackFailure, track } from './run.ts';
import { strike } from './strike.ts';

/** One resource in its stack, its template and its run. */
interface Place {
  readonly stack: Stack;
  readonly design: Design;
  readonly name: string;
  readonly run: Run;
}

/** Makes a stack match its template: creates, changes and replaces resources, and removes obsolete ones. */
export class Convergence {
  readonly #parts: EngineParts;
  readonly #removal: Removal;

  constructor(parts: EngineParts, removal: Removal) {
    this.#parts = parts;
    this.#removal = removal;
  }

  async converge(stack: Stack, run: Run): Promise<void> {
    const design = readDesign(this.#parts.designer, stack);
    this.#retireMissing(stack, design);
    for (const name of Object.keys(design.resources)) {
      const row =
        stack.resources[name] ?? this.#parts.store.addResource(stack, name, design.resources[name]?.type ?? '');
      row.requires = [...(design.requirements.get(name) ?? [])];
    }
    this.#parts.foundation.changed();
    await runInOrder(design.requirements, run, (name) => track(run, this.#bring({ stack, design, name, run })));
    await this.#removal.removeObsolete(stack, run);
  }

  #retireMissing(stack: Stack, design: Design) {
    for (const row of Object.values(stack.resources)) if (!design.resources[row.name]) this.#retire(stack, row);
  }

  #retire(stack: Stack, row: Resource) {
    delete stack.resources[row.name];
    if (row.physicalId !== '') stack.obsolete.push(row);
    this.#parts.foundation.changed();
  }

  /** Creates, replaces or updates one resource, or leaves it alone. */
  async #bring(place: Place): Promise<void> {
    const { stack, design, name } = place;
    const definition = design.resources[name];
    const row = stack.resources[name];
    if (!definition || !row) return;
    row.isRetained = definition.isRetained || definition.externalId !== undefined;
    if (definition.externalId !== undefined || row.externalId !== undefined) {
      return this.#bringExternal(place, row, definition.externalId);
    }
    const isNested = this.#parts.designer.isNested(definition.type, stack.source);
    const isNew = row.action === 'INIT' || (row.action === 'CREATE' && row.progress === 'IN_PROGRESS');
    if (row.type !== definition.type || isBroken(row, isNested)) return this.#replace(place, row);
    if (isNested) return this.#bringNested(place, row, isNew ? 'CREATE' : 'UPDATE');
    const properties = this.#evaluateFor(place);
    if (properties instanceof ResourceFailure) {
      return this.#attempt(place, row, isNew ? 'CREATE' : 'UPDATE', () => Promise.reject(properties));
    }
    if (isNew) {
      if (row.properties && !isSameJson(row.properties, properties)) return this.#replace(place, row);
      return this.#create(place, row, properties);
    }
    const before = row.properties ?? {};
    const changes = [...new Set([...Object.keys(before), ...Object.keys(properties)])].filter(
      (key) => !isSameJson(before[key], properties[key]),
    );
    if (changes.length === 0 && row.progress === 'COMPLETE') return;
    const kind = this.#parts.designer.kind(row.type);
    if (!kind?.update || !changes.every((key) => kind.properties[key]?.live)) return this.#replace(place, row);
    await this.#updateInPlace(place, row, { kind, properties });
  }

  /** A thing that Heat does not manage: only its id is taken. */
  #bringExternal(place: Place, row: Resource, id: string | undefined) {
    if (row.externalId === id && row.progress === 'COMPLETE') return Promise.resolve();
    const isNew = row.physicalId === '';
    return this.#attempt(place, row, isNew ? 'CREATE' : 'UPDATE', async () => {
      if (!isNew && row.externalId !== id) {
        const text = `Update to property external_id of ${row.name} (${row.type}) is not supported.`;
        throw new ResourceFailure('NotSupported', text);
      }
      if (id === undefined || !this.#parts.designer.kind(row.type)?.exists?.(id)) {
        const text = `Invalid external resource: Resource ${id} (${row.type}) can not be found.`;
        throw new ResourceFailure('StackValidationFailed', text);
      }
      row.externalId = id;
      row.physicalId = id;
      row.properties = {};
    });
  }

  #evaluateFor({ stack, design, name }: Place): JsonObject | ResourceFailure {
    try {
      return this.#parts.designer.properties(stack, design, name);
    } catch (error) {
      if (error instanceof NotYet) return new ResourceFailure('NotFound', `The value of ${error.message} is not known`);
      if (error instanceof Refusal) return new ResourceFailure(error.type, error.message);
      throw error;
    }
  }

  #create(place: Place, row: Resource, properties: JsonObject) {
    return this.#attempt(place, row, 'CREATE', async () => {
      // a resource that already exists continues after an interruption
      if (row.physicalId === '') await strike(this.#parts.foundation, 'CREATE', { ...place, row });
      const kind = kindOf(this.#parts, row);
      this.#checkNames(place, kind, properties);
      row.properties = properties;
      await kind.create(taskFor(this.#parts, place, { row, properties }));
    });
  }

  #updateInPlace(place: Place, row: Resource, at: { kind: ResourceKind; properties: JsonObject }) {
    return this.#attempt(place, row, 'UPDATE', async () => {
      await strike(this.#parts.foundation, 'UPDATE', { ...place, row });
      const before = row.properties ?? {};
      await at.kind.update?.(taskFor(this.#parts, place, { row, properties: at.properties }), before);
      row.properties = at.properties;
    });
  }

  /** Makes a new resource in the place of one; the old one is deleted when all else is done. */
  async #replace(place: Place, row: Resource) {
    this.#parts.designer.kind(row.type)?.beforeReplacement?.(row);
    this.#retire(place.stack, row);
    if (row.physicalId !== '')
      await this.#parts.foundation.clock.sleep(this.#parts.foundation.latency.resource, place.run.controller.signal);
    const fresh = this.#parts.store.addResource(
      place.stack,
      row.name,
      place.design.resources[row.name]?.type ?? row.type,
    );
    fresh.requires = [...(place.design.requirements.get(row.name) ?? [])];
    await this.#bring(place);
  }

  /** Brings a resource that is a stack of its own. */
  #bringNested(place: Place, row: Resource, action: 'CREATE' | 'UPDATE') {
    return this.#attempt(place, row, action, async () => {
      if (row.physicalId === '' || action !== 'CREATE') await strike(this.#parts.foundation, action, { ...place, row });
      const properties = this.#evaluateFor(place);
      if (properties instanceof ResourceFailure) throw properties;
      const existing = this.#parts.foundation.state.stacks[row.physicalId];
      const source = this.#nestedSource(place, { row, properties, existing });
      const nested = existing ?? this.#parts.store.addNested(place.stack, row, source);
      row.physicalId = nested.id;
      row.properties = properties;
      nested.source = source;
      await this.#convergeNested(nested, action, place.run);
    });
  }

  async #convergeNested(nested: Stack, action: StackAction, run: Run) {
    this.#parts.store.setStack(nested, action, 'IN_PROGRESS');
    try {
      await this.converge(nested, run);
      this.#parts.store.setStack(nested, action, 'COMPLETE');
    } catch (error) {
      if (!run.controller.signal.aborted) this.#parts.store.setStack(nested, action, 'FAILED', reasonOf(error));
      throw error;
    }
  }

  #nestedSource(
    { stack, design, name }: Place,
    at: { row: Resource; properties: JsonObject; existing: Stack | undefined },
  ): StackSource {
    const inherited = { files: stack.source.files, registry: stack.source.registry };
    const type = design.resources[name]?.type ?? at.row.type;
    if (groupKindOf(type)) {
      const text = groupTemplate(type, at.properties, {
        nested: at.existing,
        newName: () => this.#parts.foundation.chance.letters(12),
      });
      return { ...inherited, template: this.#parts.designer.intern(text), parameters: {}, parameterDefaults: {} };
    }
    const file = this.#parts.designer.fileOf(type, stack.source) ?? '';
    return {
      ...inherited,
      template: stack.source.files[file] ?? '',
      parameters: at.properties as Record<string, Json>,
      parameterDefaults: stack.source.parameterDefaults,
    };
  }

  /** Sets the statuses around a piece of work. */
  async #attempt(place: Place, row: Resource, action: 'CREATE' | 'UPDATE', body: () => Promise<void>) {
    const { stack, run } = place;
    if (row.action !== action || row.progress !== 'IN_PROGRESS')
      this.#parts.store.setResource(stack, row, action, 'IN_PROGRESS');
    try {
      await body();
      this.#parts.store.setResource(stack, row, action, 'COMPLETE');
    } catch (error) {
      if (run.controller.signal.aborted) throw error;
      if (error instanceof Halted) {
        this.#parts.store.setResource(stack, row, action, 'FAILED', `${action} aborted (user triggered cancel)`);
        throw error;
      }
      run.halted = true;
      const failure = convertToFailure(error).inside(row.name);
      this.#parts.store.setResource(stack, row, action, 'FAILED', failure.message);
      throw new StackFailure(action, failure);
    }
  }

  #checkNames({ stack }: Place, kind: ResourceKind, properties: JsonObject) {
    for (const [property, rule] of Object.entries(kind.properties)) {
      const value = properties[property];
      if (rule.names === undefined || typeof value !== 'string') continue;
      const problem = this.#parts.validator.nameProblem(rule.names, value, stack.projectId);
      if (problem)
        throw new ResourceFailure(
          'StackValidationFailed',
          `Property error: ${property}: Error validating value '${value}': ${problem}`,
        );
    }
  }
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
