import { z } from 'zod';
import { parseSlot } from '../../domain/slot.ts';
import { type Stack, type StackInput, stackTemplate, updateStack } from '../../openstack/heat.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import type { StepContextOf } from '../step-context.ts';
import { refOf, resumeStack, type StackStep, untilStack } from './stack-progress.ts';
import { stackOfInstance, stackStepOf } from './stack-step.ts';

const Template = z.looseObject({ resources: z.record(z.string(), z.unknown()).default({}) });

/** A stack that gets more or fewer servers. */
export interface ScaledStack extends StackStep {
  readonly stack: Stack;
  /** As Heat has it, as JSON text. */
  readonly template: string;
  /** Resources of the top HOT. */
  readonly present: ReadonlySet<string>;
  /** Those that this step is about, for example `workerNode-2`. */
  readonly names: readonly string[];
}

/** Looks at the stack before it is scaled. @throws VnflowError VIM_NOT_FOUND */
export async function scaledStackOf(step: StepContextOf<'growStack' | 'shrinkStack'>): Promise<ScaledStack> {
  const { input } = step;
  const work = await stackStepOf(step);
  const { session, beat } = work;
  const stack = await stackOfInstance(session, input.vnfInstanceId, beat.signal);
  const template = await stackTemplate(session, refOf(stack), { signal: beat.signal });
  const names = input.servers.map((slot) => {
    const { vduId, index } = parseSlot(slot);
    return `${vduId}-${index}`;
  });
  return {
    ...work,
    stack,
    template: JSON.stringify(template),
    present: new Set(Object.keys(Template.parse(template).resources)),
    names,
  };
}

/** Updates the stack if there is something to change or to repair, and waits until Heat is done. */
export async function bringTo(
  deps: ActivityDependencies,
  work: ScaledStack,
  change: StackInput | undefined,
): Promise<void> {
  const { session, beat, stack } = work;
  if (!change && stack.stack_status.endsWith('_COMPLETE')) return;
  if (!change && !stack.stack_status.endsWith('_FAILED')) return resumeStack(deps, work, { stack, goal: 'update' });
  beat.mustHold();
  await updateStack(session, refOf(stack), { ...change, signal: beat.signal });
  await untilStack(deps, work, { stack: refOf(stack), goal: 'update' });
}
