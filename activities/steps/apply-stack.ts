import type { StepActivities } from '../../domain/operation/activity-contract.ts';
import {
  createStack,
  deleteStack,
  findStack,
  type StackInput,
  type StackRef,
  updateStack,
} from '../../openstack/heat.ts';
import { heartbeating } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { stackName, vimConnectionOf } from '../facts/operation-facts.ts';
import { forgetInstance } from '../forget-instance.ts';
import { stackInput } from '../stack/stack-input.ts';
import { isOfThisOperation, refOf, resumeStack, type StackStep, untilStack } from '../stack/stack-progress.ts';
import { vimSession } from '../stack/vim-session.ts';

type StackActivities = Pick<StepActivities, 'applyStack' | 'deleteStack' | 'forgetCluster'>;

/** The Heat stack of an instance, `vnf-{id}` as Tacker names it. */
export function createStackActivities(deps: ActivityDependencies): StackActivities {
  return {
    applyStack: (input) =>
      heartbeating(async (beat) => {
        const session = vimSession(await vimConnectionOf(deps, input));
        await applyStack(deps, { input, session, beat });
        return {};
      }),

    deleteStack: (input) =>
      heartbeating(async (beat) => {
        const session = vimSession(await vimConnectionOf(deps, input));
        const found = await findStack(session, stackName(input.vnfInstanceId), { signal: beat.signal });
        if (found) await removeStack(deps, { input, session, beat }, refOf(found));
        return {};
      }),

    // the VIM goes here, not in a step of its own: it is a row and a secret as all that is forgotten here, and needs no network
    forgetCluster: (input) =>
      writeAsAttempt(deps, async (inside) => {
        await forgetInstance(inside, input.vnfInstanceId);
        return {};
      }),
  };
}

/** Looks first: adopts the stack that an earlier attempt began, repairs one that failed, creates one only where none is. */
async function applyStack(deps: ActivityDependencies, step: StackStep): Promise<StackRef> {
  const { input, session, beat } = step;
  const name = stackName(input.vnfInstanceId);
  const wanted = await stackInput(deps, input);
  const found = await findStack(session, name, { signal: beat.signal });
  if (found) {
    const move = nextMove(found.stack_status, await isOfThisOperation(deps, input, found));
    if (move === 'update') return update(deps, step, { stack: refOf(found), wanted });
    if (move === 'adopt') {
      await resumeStack(deps, step, { stack: found, goal: 'create' });
      return refOf(found);
    }
    await removeStack(deps, step, refOf(found));
  }
  beat.mustHold();
  const stack = await createStack(session, name, { ...wanted, signal: beat.signal });
  await untilStack(deps, step, { stack, goal: 'create' });
  return stack;
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
): Promise<StackRef> {
  step.beat.mustHold();
  await updateStack(step.session, stack, { ...wanted, signal: step.beat.signal });
  await untilStack(deps, step, { stack, goal: 'update' });
  return stack;
}

async function removeStack(deps: ActivityDependencies, step: StackStep, stack: StackRef): Promise<void> {
  step.beat.mustHold();
  await deleteStack(step.session, stack, { signal: step.beat.signal });
  await untilStack(deps, step, { stack, goal: 'delete' });
}
