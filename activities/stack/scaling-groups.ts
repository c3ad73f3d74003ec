import { hasGroupSizes, withGroupSizes } from '../../domain/group-user-data.ts';
import { VnflowError } from '../../domain/problems.ts';
import { type GroupMember, groupSizes } from '../../domain/server-places.ts';
import { slotName } from '../../domain/slot.ts';
import type { HotFile } from '../../domain/standard-user-data/hot.ts';
import { GROUP, vduGroups } from '../../domain/standard-user-data/vdu-groups.ts';
import { markHealthy, markUnhealthy, type Stack, stackTemplate } from '../../openstack/heat.ts';
import { flavourOfInstance } from '../../planning/package-of-instance.ts';
import { templatesOfInstance } from '../../planning/templates.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { changeStack } from './change-stack.ts';
import { listPlacedResources, type PlacedStackResource } from './placed-resources.ts';
import { awaitRest } from './stack-at-rest.ts';
import { type StackContext, withStack } from './stack-context.ts';
import { refOf } from './stack-progress.ts';

/**
 * Finds the scaling group whose members are the servers of a VDU.
 * @returns its name in the top HOT; undefined when StandardUserData made the servers
 */
export async function findScalingGroup(context: ActivityContext, vduId: string): Promise<string | undefined> {
  const { deps } = context;
  const instance = await readInstance(context);
  const of = await flavourOfInstance(deps, instance);
  return vduGroups(await templatesOfInstance(deps, instance, of)).get(vduId);
}

/** The context of work on a stack with scaling groups. The stack was at rest when it was read. */
interface GroupedStack extends StackContext {
  readonly stack: Stack;
  readonly resources: readonly PlacedStackResource[];
  /** The number of members by the name of the group. */
  readonly sizes: Readonly<Record<string, number>>;
}

/**
 * Adds members to a group until it has `size`. A policy's signal would add one member to any number of members, and the
 * next update of the stack would take it back. So the template orders the size, which is right for every attempt. A
 * group that is larger already stays as it is.
 */
export async function growGroup(context: LeasedContext, group: string, size: number): Promise<void> {
  const stack = await readGroupedStack(context);
  await clearMarks(stack, stack.resources);
  await resizeGroups(stack, { ...stack.sizes, [group]: Math.max(stack.sizes[group] ?? 0, size) });
}

/**
 * Removes members from their groups, and no others: Heat removes marked members first. Looks first whether they are
 * gone already.
 * @param slots of the servers that go
 * @throws VnflowError STACK_UPDATE_FAILED when one of them is still there
 */
export async function shrinkGroups(context: LeasedContext, slots: readonly string[]): Promise<void> {
  let work = await readGroupedStack(context);
  if (listBrokenMembers(work, slots).length > 0) {
    // Heat would remove them in the place of those that are to go.
    await resizeGroups(work, work.sizes);
    work = await readGroupedStack(context);
  }
  const { session, signal, resources, stack } = work;
  const leaving = listVictims(resources, slots);
  await clearMarks(work, resources, new Set(leaving.map(({ name }) => name)));
  const sizes = { ...work.sizes };
  for (const { name, stack: groupStack } of leaving) {
    work.mustHold();
    await markUnhealthy(session, groupStack, { name, reason: 'removed by vnflow', signal });
    const group = resources.find(({ physicalId }) => physicalId === groupStack.id)?.name ?? '';
    sizes[group] = (sizes[group] ?? 0) - 1;
  }
  await resizeGroups(work, sizes);
  if (leaving.length === 0) return;
  const after = await readGroupedStack(context);
  const left = leaving.filter(({ name }) => after.resources.some(({ row }) => row.resource_name === name));
  if (left.length === 0) return;
  throw new VnflowError('STACK_UPDATE_FAILED', {
    detail: `Heat has updated stack ${stack.stack_name}, but not removed ${left.map(({ name }) => name).join(', ')}.`,
  });
}

/**
 * Makes what an update of a stack must carry so that Heat leaves the size of every group alone.
 * @returns a template with the sizes as they are; nothing when the template of the stack has them already
 */
export async function keepGroupSizes(
  context: StackContext,
  stack: Stack,
  resources: readonly PlacedStackResource[],
): Promise<{ readonly template?: string }> {
  const sizes = groupSizes(resources);
  const template = await readTemplate(context, stack);
  return hasGroupSizes(template, sizes) ? {} : { template: withGroupSizes(template, sizes) };
}

/**
 * Takes back the marks of members that an operation left behind when it was given up: any update would replace such a
 * member whole.
 * @param except names of members that are to keep their marks
 */
export async function clearMarks(
  context: StackContext,
  resources: readonly PlacedStackResource[],
  except: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { session, signal } = context;
  for (const { row, stack } of listMembers(resources)) {
    if (row.resource_status !== 'CHECK_FAILED' || except.has(row.resource_name)) continue;
    context.mustHold();
    await markHealthy(session, stack, { name: row.resource_name, reason: 'not removed', signal });
  }
}

async function readGroupedStack(context: LeasedContext): Promise<GroupedStack> {
  const access = await withStack(context);
  const stack = await awaitRest(access);
  const resources = await listPlacedResources(access, stack);
  return { ...access, stack, resources, sizes: groupSizes(resources) };
}

/**
 * Updates the stack if its groups have other sizes, or if there is something to repair, and waits until Heat is done.
 */
async function resizeGroups(context: GroupedStack, sizes: Readonly<Record<string, number>>): Promise<void> {
  const { stack } = context;
  const template = await readTemplate(context, stack);
  const isOrdered = hasGroupSizes(template, sizes);
  const isThere = Object.entries(sizes).every(([group, size]) => context.sizes[group] === size);
  if (isOrdered && isThere && stack.stack_status.endsWith('_COMPLETE')) return;
  await changeStack(context, stack, isOrdered ? {} : { template: withGroupSizes(template, sizes) });
}

/** The template of a stack as Heat has it, as JSON text with a name for messages. */
async function readTemplate({ session, signal }: StackContext, stack: Stack): Promise<HotFile> {
  const text = JSON.stringify(await stackTemplate(session, refOf(stack), { signal }));
  return { name: `the template of ${stack.stack_name}`, text };
}

/** The members of all scaling groups. */
function listMembers(resources: readonly PlacedStackResource[]): PlacedStackResource[] {
  const groups = new Set(resources.filter(({ type }) => type === GROUP).map(({ physicalId }) => physicalId));
  return resources.filter(({ stack }) => groups.has(stack.id));
}

/** The members that hold the servers of these slots. */
function listVictims(resources: readonly PlacedStackResource[], slots: readonly string[]): GroupMember[] {
  return resources.flatMap(({ name, place }) =>
    place?.member && slots.includes(slotName(name, place.index)) ? [place.member] : [],
  );
}

/** The members that failed, without those of these slots. */
function listBrokenMembers({ resources }: GroupedStack, slots: readonly string[]): PlacedStackResource[] {
  const victims = listVictims(resources, slots).map(({ name }) => name);
  return listMembers(resources).filter(
    ({ row }) =>
      row.resource_status.endsWith('_FAILED') &&
      row.resource_status !== 'CHECK_FAILED' &&
      !victims.includes(row.resource_name),
  );
}
