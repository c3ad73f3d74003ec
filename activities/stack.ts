import type { OperationRef, StepActivities } from '../domain/activity-contract.ts';
import {
  createStack,
  deleteStack,
  findStack,
  type Stack,
  type StackInput,
  type StackRef,
  updateStack,
} from '../openstack/heat.ts';
import type { Session } from '../openstack/session.ts';
import { type StackGoal, waitForStack } from '../openstack/stack-wait.ts';
import { forgetCluster } from '../store/cluster-nodes.ts';
import { mergeOperationContext } from '../store/operations.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { type Beat, heartbeating } from './heartbeating.ts';
import { operationOf, stackName, vimConnectionOf } from './operation-facts.ts';
import { unregisterVim } from './register-vim.ts';
import { deleteSchedule } from './snapshot-schedule.ts';
import { stackInput } from './stack-input.ts';
import { writeAsAttempt } from './step-attempt.ts';
import { vimSession } from './vim-session.ts';

type StackActivities = Pick<StepActivities, 'applyStack' | 'deleteStack' | 'forgetCluster'>;

/** The Heat stack of an instance, `vnf-{id}` as Tacker names it. */
export function createStackActivities(deps: ActivityDependencies): StackActivities {
  return {
    applyStack: (input) =>
      heartbeating(async (beat) => {
        const session = vimSession(await vimConnectionOf(deps, input));
        const applied = await applyStack(deps, { input, session, beat });
        await writeAsAttempt(deps, ({ db }) => mergeOperationContext(db, input.vnfLcmOpOccId, { stack: applied }));
        return {};
      }),

    deleteStack: (input) =>
      heartbeating(async (beat) => {
        const session = vimSession(await vimConnectionOf(deps, input));
        const found = await findStack(session, stackName(input.vnfInstanceId), { signal: beat.signal });
        if (found) await removeStack(deps, { session, beat, stack: refOf(found) });
        return {};
      }),

    // the VIM goes here, not in a step of its own: it is a row and a secret as all that is forgotten here, and needs no network
    forgetCluster: (input) =>
      writeAsAttempt(deps, async (inside) => {
        await unregisterVim(inside, input.vnfInstanceId);
        await deleteSchedule(input.vnfInstanceId);
        await forgetCluster(inside.db, input.vnfInstanceId);
        await inside.secrets.removeOwnedBy(input.vnfInstanceId);
        return {};
      }),
  };
}

interface Work {
  readonly session: Session;
  readonly beat: Beat;
}

/** Looks first: adopts the stack that an earlier attempt began, repairs one that failed, creates one only where none is. */
async function applyStack(
  deps: ActivityDependencies,
  { input, session, beat }: Work & { input: OperationRef },
): Promise<StackRef> {
  const name = stackName(input.vnfInstanceId);
  const wanted = await stackInput(deps, input);
  const found = await findStack(session, name, { signal: beat.signal });
  if (found) {
    const stack = refOf(found);
    const move = nextMove(found.stack_status, {
      begun: await isOfThisOperation(deps, input, found),
      stuck: await wasStuck(deps, input),
    });
    if (move === 'adopt') return waitFor(deps, { session, beat, stack, goal: 'create' });
    if (move === 'update') return update(deps, { session, beat, stack, wanted });
    await removeStack(deps, { session, beat, stack });
  }
  beat.mustHold();
  const stack = await createStack(session, name, { ...wanted, signal: beat.signal });
  return waitFor(deps, { session, beat, stack, goal: 'create' });
}

type Move = 'adopt' | 'update' | 'recreate';

/** What to do with a stack of that name, by its status. */
function nextMove(status: string, { begun, stuck }: { begun: boolean; stuck: boolean }): Move {
  if (status.startsWith('DELETE_')) return 'recreate';
  if (status.endsWith('_IN_PROGRESS')) return begun && !stuck ? 'adopt' : 'update'; // stuck: Heat's engine forgot it, an update repairs
  if (status.endsWith('_COMPLETE') && !status.startsWith('ROLLBACK_')) return begun ? 'adopt' : 'update';
  return 'update';
}

/** Made since the operation began (an earlier attempt of this step), not left behind by an operation that was given up. */
async function isOfThisOperation(deps: ActivityDependencies, input: OperationRef, stack: Stack): Promise<boolean> {
  const { start_time } = await operationOf(deps, input);
  const made = Date.parse(stack.updated_time ?? stack.creation_time ?? '');
  return made >= Math.floor(start_time.getTime() / 1000) * 1000; // Heat tells whole seconds
}

async function wasStuck(deps: ActivityDependencies, input: OperationRef): Promise<boolean> {
  return (await operationOf(deps, input)).error?.['code'] === 'STACK_STUCK';
}

async function update(
  deps: ActivityDependencies,
  { session, beat, stack, wanted }: Work & { stack: StackRef; wanted: StackInput },
): Promise<StackRef> {
  beat.mustHold();
  await updateStack(session, stack, { ...wanted, signal: beat.signal });
  return waitFor(deps, { session, beat, stack, goal: 'update' });
}

async function removeStack(
  deps: ActivityDependencies,
  { session, beat, stack }: Work & { stack: StackRef },
): Promise<void> {
  beat.mustHold();
  await deleteStack(session, stack, { signal: beat.signal });
  await waitFor(deps, { session, beat, stack, goal: 'delete' });
}

async function waitFor(
  deps: ActivityDependencies,
  { session, beat, stack, goal }: Work & { stack: StackRef; goal: StackGoal },
): Promise<StackRef> {
  await waitForStack(session, stack, {
    goal,
    signal: beat.signal,
    onPoll: (status) => beat.say(`stack ${stack.name} ${status}`),
    deadlineMs: deps.pace.stackLimit * 1000,
    pollMs: { min: deps.pace.poll.first * 1000, max: deps.pace.poll.longest * 1000 },
  });
  return stack;
}

function refOf(stack: Stack): StackRef {
  return { name: stack.stack_name, id: stack.id };
}
