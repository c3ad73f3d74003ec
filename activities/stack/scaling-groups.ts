import { hasGroupSizes, withGroupSizes } from '../../domain/group-user-data.ts';
import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { groupSizes } from '../../domain/server-places.ts';
import { slotName } from '../../domain/slot.ts';
import type { HotFile } from '../../domain/standard-user-data/hot.ts';
import { GROUP, vduGroups } from '../../domain/standard-user-data/vdu-groups.ts';
import { baseHot } from '../../domain/standard-user-data.ts';
import {
  listResources,
  markHealthy,
  markUnhealthy,
  type Stack,
  stackTemplate,
  updateStack,
} from '../../openstack/heat.ts';
import type { Session } from '../../openstack/session.ts';
import { flavourOfInstance, packageOfInstance, textsUnder } from '../../planning/package-of-instance.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import type { StepContext, StepContextOf } from '../step-context.ts';
import { type Placed, placedResources } from './placed-resources.ts';
import { stackAtRest } from './stack-at-rest.ts';
import { refOf, type StackStep, untilStack } from './stack-progress.ts';
import { stackStepOf } from './stack-step.ts';

/** The scaling group whose members are the servers of a VDU. Undefined when StandardUserData made them. */
export async function scalingGroupOf(
  deps: ActivityDependencies,
  ref: OperationRef,
  vduId: string,
): Promise<string | undefined> {
  const instance = await instanceOf(deps, ref);
  const of = await flavourOfInstance(deps, instance);
  const { files } = await packageOfInstance(deps, instance);
  return vduGroups(baseHot(textsUnder(files, 'BaseHOT/'), of.id)).get(vduId);
}

/** A stack with scaling groups, at rest. */
interface GroupedStack extends StackStep {
  readonly stack: Stack;
  readonly resources: readonly Placed[];
  /** Members per group, as they are. */
  readonly sizes: Readonly<Record<string, number>>;
}

/**
 * Adds members to a group until it has `size`. A policy's signal would add one, whatever is there, and would be forgotten by the next
 * update of the stack: so the template orders the size, which is right for every attempt. A group that is larger already stays.
 */
export async function growGroup(step: StepContext, group: string, size: number): Promise<void> {
  const work = await groupedStackOf(step);
  await clearMarks(work, new Set());
  await order(step.deps, work, { ...work.sizes, [group]: Math.max(work.sizes[group] ?? 0, size) });
}

/**
 * Removes members from their group, and no others: Heat removes marked members first. Looks first whether they are gone already.
 * @throws VnflowError STACK_UPDATE_FAILED when one of them is still there
 */
export async function shrinkGroup(step: StepContextOf<'shrinkStack'>): Promise<void> {
  const { deps } = step;
  const slots = new Set(step.input.servers);
  let work = await groupedStackOf(step);
  const membersOf = ({ resources }: GroupedStack) => resources.filter(isInSlot(slots));
  const victims = (at: GroupedStack) => new Set(membersOf(at).flatMap(({ place }) => place?.member?.name ?? []));
  if (brokenMembers(work, victims(work)).length > 0) {
    // Heat would remove them in the place of those that are to go.
    await order(deps, work, work.sizes);
    work = await groupedStackOf(step);
  }
  const leaving = membersOf(work).flatMap(({ place }) => place?.member ?? []);
  await clearMarks(work, victims(work));
  const sizes = { ...work.sizes };
  for (const { name, stack } of leaving) {
    work.beat.mustHold();
    await markUnhealthy(work.session, stack, { name, reason: 'removed by vnflow', signal: work.beat.signal });
    const group = work.resources.find(({ physicalId }) => physicalId === stack.id)?.name ?? '';
    sizes[group] = (sizes[group] ?? 0) - 1;
  }
  await order(deps, work, sizes);
  if (leaving.length === 0) return;
  const after = await groupedStackOf(step);
  const left = leaving.filter(({ name }) => after.resources.some(({ row }) => row.resource_name === name));
  if (left.length === 0) return;
  throw new VnflowError('STACK_UPDATE_FAILED', {
    detail: `Heat has updated stack ${work.stack.stack_name}, but not removed ${left.map(({ name }) => name).join(', ')}.`,
  });
}

/** What an update of a stack must carry so that Heat leaves the size of every group alone: nothing, or a template with the sizes as they are. */
export async function keptSizes(
  { session, beat }: StackStep,
  stack: Stack,
  resources: readonly Placed[],
): Promise<{ readonly template?: string }> {
  const sizes = groupSizes(resources);
  const template = await readTemplate(session, stack, beat.signal);
  return hasGroupSizes(template, sizes) ? {} : { template: withGroupSizes(template, sizes) };
}

/**
 * Takes back the marks of members that an operation left behind when it was given up: any update would replace such a member whole.
 * @param except names of members that are to keep theirs
 */
export async function clearMarks(
  { session, beat, resources }: Pick<GroupedStack, 'session' | 'beat' | 'resources'>,
  except: ReadonlySet<string>,
): Promise<void> {
  for (const { row, stack } of members(resources)) {
    if (row.resource_status !== 'CHECK_FAILED' || except.has(row.resource_name)) continue;
    beat.mustHold();
    await markHealthy(session, stack, { name: row.resource_name, reason: 'not removed', signal: beat.signal });
  }
}

async function groupedStackOf(step: StepContext): Promise<GroupedStack> {
  const { deps, input } = step;
  const work = await stackStepOf(step);
  const stack = await stackAtRest(deps, work);
  const rows = await listResources(work.session, refOf(stack), { nestedDepth: 2, signal: work.beat.signal });
  const resources = await placedResources(deps, input, rows);
  return { ...work, stack, resources, sizes: groupSizes(resources) };
}

/** Updates the stack if its groups have other sizes, or if there is something to repair, and waits until Heat is done. */
async function order(
  deps: ActivityDependencies,
  work: GroupedStack,
  sizes: Readonly<Record<string, number>>,
): Promise<void> {
  const { session, beat, stack } = work;
  const template = await readTemplate(session, stack, beat.signal);
  const isOrdered = hasGroupSizes(template, sizes);
  const isThere = Object.entries(sizes).every(([group, size]) => work.sizes[group] === size);
  if (isOrdered && isThere && stack.stack_status.endsWith('_COMPLETE')) return;
  beat.mustHold();
  const change = isOrdered ? {} : { template: withGroupSizes(template, sizes) };
  await updateStack(session, refOf(stack), { ...change, signal: beat.signal });
  await untilStack(deps, work, { stack: refOf(stack), goal: 'update' });
}

/** The template of a stack as Heat has it, as JSON text with a name for messages. */
async function readTemplate(session: Session, stack: Stack, signal: AbortSignal): Promise<HotFile> {
  const text = JSON.stringify(await stackTemplate(session, refOf(stack), { signal }));
  return { name: `the template of ${stack.stack_name}`, text };
}

function members(resources: readonly Placed[]): Placed[] {
  const groups = new Set(resources.filter(({ type }) => type === GROUP).map(({ physicalId }) => physicalId));
  return resources.filter(({ stack }) => groups.has(stack.id));
}

function brokenMembers({ resources }: GroupedStack, except: ReadonlySet<string>): Placed[] {
  return members(resources).filter(
    ({ row }) =>
      row.resource_status.endsWith('_FAILED') &&
      row.resource_status !== 'CHECK_FAILED' &&
      !except.has(row.resource_name),
  );
}

function isInSlot(slots: ReadonlySet<string>): (resource: Placed) => boolean {
  return ({ name, place }) => place !== undefined && slots.has(slotName(name, place.index));
}
