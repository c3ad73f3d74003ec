import { createStack, findStack, type StackInput, type StackRef, updateStack } from '../../openstack/heat.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { stackName } from '../facts/operation-facts.ts';
import { stackInput } from '../stack/stack-input.ts';
import { isOfThisOperation, refOf, resumeStack, type StackStep, untilStack } from '../stack/stack-progress.ts';
import { removeStack, stackStepOf } from '../stack/stack-step.ts';
import type { StepContextOf } from '../step-context.ts';

/** Creates the Heat stack of an instance, `vnf-{id}` as Tacker names it. */
export async function applyStack(step: StepContextOf<'applyStack'>): Promise<undefined> {
  await bringStack(step.deps, await stackStepOf(step));
}

/** Looks first: adopts the stack that an earlier attempt began, repairs one that failed, creates one only where none is. */
async function bringStack(deps: ActivityDependencies, step: StackStep): Promise<void> {
  const { input, session, beat } = step;
  const name = stackName(input.vnfInstanceId);
  const wanted = await stackInput(deps, input);
  const found = await findStack(session, name, { signal: beat.signal });
  if (found) {
    const move = nextMove(found.stack_status, await isOfThisOperation(deps, input, found));
    if (move === 'update') return update(deps, step, { stack: refOf(found), wanted });
    if (move === 'adopt') return resumeStack(deps, step, { stack: found, goal: 'create' });
    await removeStack(deps, step, refOf(found));
  }
  beat.mustHold();
  const stack = await createStack(session, name, { ...wanted, signal: beat.signal });
  await untilStack(deps, step, { stack, goal: 'create' });
}

type Move = 'adopt' | 'update' | 'recreate';

/** What to do with a stack of that name, by its status. @param begun by an earlier attempt, not left behind by an operation that was given up */
function nextMove(status: string, begun: boolean): Move {
  if (status.startsWith('DELETE_')) return 'recreate';
  if (status.endsWith('_FAILED') || status === 'ROLLBACK_COMPLETE') return 'update';
  return begun ? 'adopt' : 'update';
}

async function update(
  deps: ActivityDependencies,
  step: StackStep,
  { stack, wanted }: { stack: StackRef; wanted: StackInput },
): Promise<void> {
  step.beat.mustHold();
  await updateStack(step.session, stack, { ...wanted, signal: step.beat.signal });
  await untilStack(deps, step, { stack, goal: 'update' });
}
