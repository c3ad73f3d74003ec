import { z } from 'zod';
import { stackResourceName } from '../../domain/slot.ts';
import { type Stack, type StackInput, stackTemplate } from '../../openstack/heat.ts';
import type { StepContextOf } from '../step-context.ts';
import { changeStack } from './change-stack.ts';
import { readOwnStack } from './find-stack.ts';
import { type StackContext, withStack } from './stack-context.ts';
import { refOf, resumeStack } from './stack-progress.ts';

const Template = z.looseObject({ resources: z.record(z.string(), z.unknown()).default({}) });

/** The context of a step that gives a stack more or fewer servers. */
export interface ScaledStack extends StackContext {
  readonly stack: Stack;
  /** The template as Heat has it, as JSON text. */
  readonly template: string;
  /** Names of the resources of the top HOT. */
  readonly present: ReadonlySet<string>;
  /** The resources of the servers that the step adds or removes, for example `workerNode-2`. */
  readonly names: readonly string[];
}

/** Looks at the stack before it is scaled. @throws VnflowError VIM_NOT_FOUND */
export async function readScaledStack(step: StepContextOf<'growStack' | 'shrinkStack'>): Promise<ScaledStack> {
  const context = await withStack(step);
  const { session, signal } = context;
  const stack = await readOwnStack(context);
  const template = await stackTemplate(session, refOf(stack), { signal });
  return {
    ...context,
    stack,
    template: JSON.stringify(template),
    present: new Set(Object.keys(Template.parse(template).resources)),
    names: step.input.servers.map(stackResourceName),
  };
}

/**
 * Updates the stack if there is something to change or to repair, and waits until Heat is done.
 * @param change undefined when the stack has the servers that it shall have
 */
export async function scaleStack(context: ScaledStack, change: StackInput | undefined): Promise<void> {
  const { stack } = context;
  if (!change && stack.stack_status.endsWith('_COMPLETE')) return;
  if (!change && !stack.stack_status.endsWith('_FAILED')) return resumeStack(context, { stack, goal: 'update' });
  await changeStack(context, stack, change);
}
