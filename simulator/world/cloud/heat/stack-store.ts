import type { Progress, Resource, Stack, StackAction, StackSource } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { timestamp } from '../times.ts';

/** The number of deleted stacks that stay visible by id. */
const BURIED = 100;

/** Stack records, their statuses and events. */
export interface StackStore {
  /** Finds the living stack with this name. */
  byName(name: string, projectId: string): Stack | undefined;
  add(
    at: Pick<Stack, 'name' | 'projectId' | 'userId' | 'owner' | 'disableRollback' | 'timeoutMins' | 'tags' | 'source'>,
  ): Stack;
  addNested(parent: Stack, row: Resource, source: StackSource): Stack;
  addResource(stack: Stack, name: string, type: string): Resource;
  setStack(stack: Stack, action: StackAction, progress: Progress, reason?: string): void;
  setResource(stack: Stack, row: Resource, action: Resource['action'], progress: Progress, reason?: string): void;
  event(stack: Stack, row: Pick<Resource, 'name' | 'physicalId' | 'type'>, status: string, reason: string): void;
  /** Marks a root stack as deleted; it stays visible by id. */
  bury(root: Stack): void;
  /** Removes a deleted nested stack completely. */
  forget(nested: Stack): void;
}

export function createStackStore({ state, chance, changed }: Foundation): StackStore {
  const names = new Map<string, string>();
  const key = (name: string, projectId: string) => `${projectId}/${name}`;
  let seq = 0;
  for (const stack of Object.values(state.stacks)) {
    if (!isDeleted(stack)) names.set(key(stack.name, stack.projectId), stack.id);
    for (const event of stack.events) seq = Math.max(seq, event.seq);
  }

  const create = (
    at: Parameters<StackStore['add']>[0],
    parent: { stack: Stack; resource: string } | undefined,
  ): Stack => {
    const id = chance.uuid();
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
      userProjectId: parent?.stack.userProjectId ?? chance.hex(),
      previous: null,
      resources: {},
      obsolete: [],
      events: [],
    };
    state.stacks[id] = stack;
    names.set(key(stack.name, stack.projectId), id);
    changed();
    return stack;
  };

  const event: StackStore['event'] = (stack, row, status, reason) => {
    stack.events.push({
      id: chance.uuid(),
      at: timestamp(),
      seq: ++seq,
      name: row.name,
      physicalId: row.physicalId,
      status,
      reason,
      type: row.type,
    });
    changed();
  };

  const forget: StackStore['forget'] = (stack) => {
    delete state.stacks[stack.id];
    if (names.get(key(stack.name, stack.projectId)) === stack.id) names.delete(key(stack.name, stack.projectId));
    changed();
  };

  return {
    event,
    forget,
    byName: (name, projectId) => state.stacks[names.get(key(name, projectId)) ?? ''],
    add: (at) => create(at, undefined),
    addNested: (parent, row, source) =>
      create(
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
      ),
    addResource: (stack, name, type) => {
      const now = timestamp();
      const row: Resource = {
        name,
        type,
        physicalId: '',
        action: 'INIT',
        progress: 'COMPLETE',
        reason: '',
        tag: chance.letters(12),
        requires: [],
        properties: null,
        data: {},
        createdAt: now,
        updatedAt: now,
      };
      stack.resources[name] = row;
      changed();
      return row;
    },
    setStack: (stack, action, progress, reason) => {
      const isFirst = action === 'CREATE' && stack.action === 'CREATE';
      if (progress === 'IN_PROGRESS' && !isFirst) stack.updatedAt = timestamp();
      stack.action = action;
      stack.progress = progress;
      const ending = progress === 'IN_PROGRESS' ? 'started' : 'completed successfully';
      stack.reason = reason ?? `Stack ${action} ${ending}`;
      const row = { name: stack.name, physicalId: stack.id, type: 'OS::Heat::Stack' };
      event(stack, row, `${action}_${progress}`, stack.reason);
    },
    setResource: (stack, row, action, progress, reason) => {
      if (action === 'UPDATE' && progress === 'IN_PROGRESS') row.updatedAt = timestamp();
      row.action = action;
      row.progress = progress;
      row.reason = reason ?? 'state changed';
      event(stack, row, `${action}_${progress}`, row.reason);
    },
    bury: (root) => {
      if (names.get(key(root.name, root.projectId)) === root.id) names.delete(key(root.name, root.projectId));
      const dead = Object.values(state.stacks).filter(isDeleted);
      for (const stack of dead.slice(0, Math.max(0, dead.length - BURIED))) delete state.stacks[stack.id];
      dropUnusedTexts(state);
      changed();
    },
  };
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
