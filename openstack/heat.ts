import { VnflowError } from '../domain/problems.ts';
import {
  createdStackSchema,
  eventsSchema,
  filesSchema,
  resourceSchema,
  resourcesSchema,
  type Stack,
  type StackEvent,
  type StackResource,
  type StackResourceDetail,
  stackSchema,
  templateSchema,
} from './schemas.ts';
import type { CallOptions, ServiceAnswer, ServiceRequest, Session } from './session.ts';

export type { Stack, StackEvent, StackResource } from './schemas.ts';

/** A stack by name and id: the only form that Heat answers without a redirect. */
export interface StackRef {
  readonly name: string;
  readonly id: string;
}

export interface StackInput {
  /** HOT as text or as an object. */
  readonly template?: string | Readonly<Record<string, unknown>>;
  /** Nested templates by file name. */
  readonly files?: Readonly<Record<string, string>>;
  /** An update replaces a json parameter as a whole: send all of it. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly timeoutMins?: number;
}

/** Heat validates every template of the request before it answers a create or an update. */
const VALIDATION_MS = 120_000;

function requestHeat(session: Session, request: Omit<ServiceRequest, 'service'>): Promise<ServiceAnswer> {
  return session.request({ service: 'orchestration', ...request });
}

function pathOf({ name, id }: StackRef, below = ''): string {
  return `stacks/${encodeURIComponent(name)}/${encodeURIComponent(id)}${below}`;
}

function bodyOf({ template, files, parameters, timeoutMins }: StackInput): Record<string, unknown> {
  return {
    ...(template === undefined ? {} : { template }),
    ...(files === undefined ? {} : { files }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(timeoutMins === undefined ? {} : { timeout_mins: timeoutMins }),
  };
}

/**
 * Finds the stack that has this name now, in any status. DELETE_COMPLETE is possible, too: then the name is not free
 * yet.
 * @returns undefined when no stack has the name
 */
export async function findStack(session: Session, name: string, options: CallOptions = {}): Promise<Stack | undefined> {
  const path = `stacks/${encodeURIComponent(name)}`;
  const answer = await requestHeat(session, { method: 'GET', path, expect: [200, 302, 404], ...options });
  if (answer.status === 404) return undefined;
  if (answer.status === 200) return answer.read(stackSchema).stack;
  // Only the id is taken from the address: a redirect must not send our token to another place.
  const id = /\/stacks\/[^/]+\/([^/?]+)$/.exec(answer.headers['location'] ?? '')?.[1];
  if (!id) throw new VnflowError('VIM_PROTOCOL', { detail: `Heat redirects stack "${name}" to no stack.` });
  return lookUpStack(session, { name, id: decodeURIComponent(id) }, options);
}

/** Reads a stack. @returns undefined when there is no such stack */
export async function lookUpStack(
  session: Session,
  stack: StackRef,
  options: CallOptions = {},
): Promise<Stack | undefined> {
  const answer = await requestHeat(session, { method: 'GET', path: pathOf(stack), expect: [200, 404], ...options });
  return answer.status === 404 ? undefined : answer.read(stackSchema).stack;
}

/**
 * Reads a stack that must exist.
 * @throws VnflowError VIM_NOT_FOUND
 * @internal only tests call it so far
 */
export async function showStack(session: Session, stack: StackRef, options: CallOptions = {}): Promise<Stack> {
  const answer = await requestHeat(session, { method: 'GET', path: pathOf(stack), expect: [200], ...options });
  return answer.read(stackSchema).stack;
}

/**
 * Starts the creation of a stack. Failed resources stay, so that people can look at them, unless `disableRollback` is
 * false.
 * @throws VnflowError VIM_REJECTED when the name is taken or Heat refuses the template
 */
export async function createStack(
  session: Session,
  name: string,
  { disableRollback = true, signal, ...input }: StackInput & CallOptions & { readonly disableRollback?: boolean },
): Promise<StackRef> {
  const answer = await requestHeat(session, {
    method: 'POST',
    path: 'stacks',
    freshToken: true,
    json: { stack_name: name, disable_rollback: disableRollback, ...bodyOf(input) },
    expect: [201],
    timeoutMs: input.timeoutMs ?? VALIDATION_MS,
    ...(signal ? { signal } : {}),
  });
  return { name, id: answer.read(createdStackSchema).stack.id };
}

/**
 * Starts an update of a stack. With `existing` (PATCH, the default) Heat keeps what the input leaves out; an empty
 * input repairs the stack: Heat replaces resources that are marked unhealthy and those that stay in progress for ever.
 * Without `existing` (PUT) the input needs the template, all files and all parameters.
 */
export async function updateStack(
  session: Session,
  stack: StackRef,
  { existing = true, signal, ...input }: StackInput & CallOptions & { readonly existing?: boolean } = {},
): Promise<void> {
  await requestHeat(session, {
    method: existing ? 'PATCH' : 'PUT',
    path: pathOf(stack),
    freshToken: true,
    json: bodyOf(input),
    expect: [200, 202],
    timeoutMs: input.timeoutMs ?? VALIDATION_MS,
    ...(signal ? { signal } : {}),
  });
}

/** Starts the deletion of a stack. A stack that is being deleted or does not exist is no error. */
export async function deleteStack(session: Session, stack: StackRef, options: CallOptions = {}): Promise<void> {
  const path = pathOf(stack);
  await requestHeat(session, { method: 'DELETE', path, freshToken: true, expect: [202, 204, 404], ...options });
}

/**
 * Lists the resources of a stack and of its nested stacks in one flat list, parents first.
 * @param options.nestedDepth levels of nested stacks (group → member → its resources is 2)
 */
export async function listResources(
  session: Session,
  stack: StackRef,
  { nestedDepth = 2, ...options }: CallOptions & { readonly nestedDepth?: number } = {},
): Promise<readonly StackResource[]> {
  const path = pathOf(stack, `/resources?nested_depth=${nestedDepth}`);
  const answer = await requestHeat(session, { method: 'GET', path, expect: [200], timeoutMs: 60_000, ...options });
  return answer.read(resourcesSchema).resources;
}

/**
 * Reads one resource with its attributes.
 * @returns undefined when there is no such resource
 * @internal only tests call it so far
 */
export async function showResource(
  session: Session,
  stack: StackRef,
  { name, ...options }: CallOptions & { readonly name: string },
): Promise<StackResourceDetail | undefined> {
  const path = pathOf(stack, `/resources/${encodeURIComponent(name)}`);
  const answer = await requestHeat(session, { method: 'GET', path, expect: [200, 404], ...options });
  return answer.status === 404 ? undefined : answer.read(resourceSchema).resource;
}

interface Mark extends CallOptions {
  readonly name: string;
  readonly reason: string;
}

/**
 * Marks a resource, so that the next update of the root stack replaces it.
 * @param stack the stack that contains the resource: as a rule a nested one
 * @throws VnflowError VIM_BUSY while that stack is in progress, VIM_NOT_FOUND when there is no such resource
 */
export async function markUnhealthy(session: Session, stack: StackRef, at: Mark): Promise<void> {
  await mark(session, stack, { ...at, isUnhealthy: true });
}

/** Takes back what `markUnhealthy` did; a resource that failed in another way stays as it is. @throws VnflowError as `markUnhealthy` */
export async function markHealthy(session: Session, stack: StackRef, at: Mark): Promise<void> {
  await mark(session, stack, { ...at, isUnhealthy: false });
}

async function mark(
  session: Session,
  stack: StackRef,
  { name, reason, isUnhealthy, ...options }: Mark & { readonly isUnhealthy: boolean },
): Promise<void> {
  await requestHeat(session, {
    method: 'PATCH',
    path: pathOf(stack, `/resources/${encodeURIComponent(name)}`),
    json: { mark_unhealthy: isUnhealthy, resource_status_reason: reason },
    expect: [200],
    ...options,
  });
}

/** Lists the newest events of a stack and of its nested stacks, newest first. */
export async function listEvents(
  session: Session,
  stack: StackRef,
  {
    limit = 100,
    nestedDepth = 5,
    ...options
  }: CallOptions & { readonly limit?: number; readonly nestedDepth?: number } = {},
): Promise<readonly StackEvent[]> {
  const path = pathOf(stack, `/events?sort_dir=desc&nested_depth=${nestedDepth}&limit=${limit}`);
  const answer = await requestHeat(session, { method: 'GET', path, expect: [200, 404], ...options });
  return answer.status === 404 ? [] : answer.read(eventsSchema).events;
}

export async function stackTemplate(
  session: Session,
  stack: StackRef,
  options: CallOptions = {},
): Promise<Record<string, unknown>> {
  const answer = await requestHeat(session, {
    method: 'GET',
    path: pathOf(stack, '/template'),
    expect: [200],
    ...options,
  });
  return answer.read(templateSchema);
}

export async function stackFiles(
  session: Session,
  stack: StackRef,
  options: CallOptions = {},
): Promise<Record<string, string>> {
  const answer = await requestHeat(session, {
    method: 'GET',
    path: pathOf(stack, '/files'),
    expect: [200],
    ...options,
  });
  return answer.read(filesSchema);
}

/** The stack that contains this resource, by its link `stack`. @throws VnflowError VIM_PROTOCOL without such a link */
export function stackOf(resource: Pick<StackResource, 'links' | 'resource_name'>): StackRef {
  return linkedStack(resource, 'stack') ?? raise(`Heat names no stack for resource "${resource.resource_name}".`);
}

/** The nested stack that this resource stands for, by its link `nested`. Undefined for other resources. */
export function nestedStackOf(resource: Pick<StackResource, 'links'>): StackRef | undefined {
  return linkedStack(resource, 'nested');
}

function linkedStack({ links }: Pick<StackResource, 'links'>, rel: string): StackRef | undefined {
  const found = /\/stacks\/([^/]+)\/([^/?]+)$/.exec(links.find((link) => link.rel === rel)?.href ?? '');
  const [, name, id] = found ?? [];
  return name && id ? { name: decodeURIComponent(name), id } : undefined;
}

function raise(detail: string): never {
  throw new VnflowError('VIM_PROTOCOL', { detail });
}
