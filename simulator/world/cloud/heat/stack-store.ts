import type { CloudState, Progress, Resource, Stack, StackAction, StackSource } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { timestamp } from '../times.ts';

/** The number of deleted stacks that stay visible by id. */
const BURIED = 100;

type NewStack = Pick<
  Stack,
  'name' | 'projectId' | 'userId' | 'owner' | 'disableRollback' | 'timeoutMins' | 'tags' | 'source'
>;

/** Stack records, their statuses and events. */
export class StackStore {
  readonly #foundation: Foundation;
  readonly #state: CloudState;
  /** Project and name → id of the living stack. */
  readonly #names = new Map<string, string>();
  /** The number of the last event. */
  #seq = 0;

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
    this.#state = foundation.state;
    for (const stack of Object.values(foundation.state.stacks)) {
      if (!isDeleted(stack)) this.#names.set(nameKey(stack.name, stack.projectId), stack.id);
      for (const event of stack.events) this.#seq = Math.max(this.#seq, event.seq);
    }
  }

  event(stack: Stack, row: Pick<Resource, 'name' | 'physicalId' | 'type'>, status: string, reason: string): void {
    stack.events.push({
      id: this.#foundation.chance.uuid(),
      at: timestamp(),
      seq: ++this.#seq,
      name: row.name,
      physicalId: row.physicalId,
      status,
      reason,
      type: row.type,
    });
    this.#foundation.changed();
  }

  /** Removes a deleted nested stack completely. */
  forget(stack: Stack): void {
    delete this.#state.stacks[stack.id];
    if (this.#names.get(nameKey(stack.name, stack.projectId)) === stack.id)
      this.#names.delete(nameKey(stack.name, stack.projectId));
    this.#foundation.changed();
  }

  /** Finds the living stack with this name. */
  byName(name: string, projectId: string): Stack | undefined {
    return this.#state.stacks[this.#names.get(nameKey(name, projectId)) ?? ''];
  }

  add(at: NewStack): Stack {
    return this.#create(at, undefined);
  }

  addNested(parent: Stack, row: Resource, source: StackSource): Stack {
    return this.#create(
      {
        name: `${parent.name}-${row.name}-${row.tag}`,
        projectId: parent.projectId,
        userId: parent.userId,
        owner: parent.owner,
        disableRollback: true,
        timeoutMins: parent.timeoutMins,
        tags: [],
        source,
      },
      { stack: parent, resource: row.name },
    );
  }

  addResource(stack: Stack, name: string, type: string): Resource {
    const now = timestamp();
    const row: Resource = {
      name,
      type,
      physicalId: '',
      action: 'INIT',
      progress: 'COMPLETE',
      reason: '',
      tag: this.#foundation.chance.letters(12),
      requires: [],
      properties: null,
      data: {},
      createdAt: now,
      updatedAt: now,
    };
    stack.resources[name] = row;
    this.#foundation.changed();
    return row;
  }

  setStack(stack: Stack, action: StackAction, progress: Progress, reason?: string): void {
    const isFirst = action === 'CREATE' && stack.action === 'CREATE';
    if (progress === 'IN_PROGRESS' && !isFirst) stack.updatedAt = timestamp();
    stack.action = action;
    stack.progress = progress;
    const ending = progress === 'IN_PROGRESS' ? 'started' : 'completed successfully';
    stack.reason = reason ?? `Stack ${action} ${ending}`;
    const row = { name: stack.name, physicalId: stack.id, type: 'OS::Heat::Stack' };
    this.event(stack, row, `${action}_${progress}`, stack.reason);
  }

  setResource(stack: Stack, row: Resource, action: Resource['action'], progress: Progress, reason?: string): void {
    if (action === 'UPDATE' && progress === 'IN_PROGRESS') row.updatedAt = timestamp();
    row.action = action;
    row.progress = progress;
    row.reason = reason ?? 'state changed';
    this.event(stack, row, `${action}_${progress}`, row.reason);
  }

  /** Marks a root stack as deleted; it stays visible by id. */
  bury(root: Stack): void {
    if (this.#names.get(nameKey(root.name, root.projectId)) === root.id)
      this.#names.delete(nameKey(root.name, root.projectId));
    const dead = Object.values(this.#state.stacks).filter(isDeleted);
    for (const stack of dead.slice(0, Math.max(0, dead.length - BURIED))) delete this.#state.stacks[stack.id];
    dropUnusedTexts(this.#state);
    this.#foundation.changed();
  }

  #create(at: NewStack, parent: { stack: Stack; resource: string } | undefined): Stack {
    const id = this.#foundation.chance.uuid();
    const stack: Stack = {
      ...at,
      id,
      parentId: parent?.stack.id ?? null,
      parentResource: parent?.resource ?? null,
      rootId: parent?.stack.rootId ?? id,
      action: 'CREATE',
      progress: 'IN_PROGRESS',
      reason: '',
      createdAt: timestamp(),
      updatedAt: null,
      deletedAt: null,
      deadline: null,
      userProjectId: parent?.stack.userProjectId ?? this.#foundation.chance.hex(),
      previous: null,
      resources: {},
      obsolete: [],
      events: [],
    };
    this.#state.stacks[id] = stack;
    this.#names.set(nameKey(stack.name, stack.projectId), id);
    this.#foundation.changed();
    return stack;
  }
}

export function isDeleted({ action, progress }: Stack): boolean {
  return action === 'DELETE' && progress === 'COMPLETE';
}

function dropUnusedTexts(state: Foundation['state']): void {
  const used = new Set<string>();
  for (const { source, previous } of Object.values(state.stacks)) {
    for (const from of [source, previous]) {
      if (!from) continue;
      used.add(from.template);
      for (const text of Object.values(from.files)) used.add(text);
    }
  }
  for (const text of Object.keys(state.texts)) if (!used.has(text)) delete state.texts[text];
}

function nameKey(name: string, projectId: string): string {
  return `${projectId}/${name}`;
}
