import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { problemOf } from '../../activities/records/operation-problem.ts';
import type {
  RecordActivities,
  StateRecord,
  StepActivities,
  StepInput,
} from '../../domain/operation/activity-contract.ts';
import type { OperatorAction } from '../../domain/operation/operator-actions.ts';
import type { Plan } from '../../domain/operation/plan.ts';
import type { OperationProgress } from '../../domain/operation/progress.ts';
import type { Operation } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { planInstantiateRollback } from '../../domain/stack-plans/instantiate.ts';
import { planTerminate } from '../../domain/stack-plans/terminate.ts';
import { STEP_KINDS } from '../../domain/steps/index.ts';
import { sendControl } from '../../engine/control-operation.ts';
import { toEngineProblem } from '../../engine/engine-problem.ts';
import { type StartedOperation, startOperation } from '../../engine/start-operation.ts';
import { RECORD_QUEUE, TASK_QUEUE, workflowId } from '../../workflows/contract.ts';
import { planInstantiate } from './domain/cluster-plans.ts';
import { startTestTemporal, testBundle } from './temporal.ts';
import { until } from './until.ts';

type WithoutSender<Action> = Action extends OperatorAction ? Omit<Action, 'by'> : never;
interface StepTrouble {
  /** The end of the output. */
  readonly seen?: string;
  readonly type: string;
  readonly message: string;
  /** True when Temporal repeats the attempt. */
  readonly retriable?: boolean;
}

export type OperationWorld = Awaited<ReturnType<typeof startOperationWorld>>;

/** Workflows on a real Temporal server; their activities do only what a test sets. */
export async function startOperationWorld() {
  const [temporal, bundle] = await Promise.all([startTestTemporal(), testBundle()]);
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  const native = await NativeConnection.connect({ address: temporal.address });
  const script = newScript();
  const workers = await Promise.all([
    Worker.create({
      connection: native,
      taskQueue: TASK_QUEUE,
      activities: { ...recordActivities(script), ...stepActivities(script) },
      maxHeartbeatThrottleInterval: '50 milliseconds',
    }),
    Worker.create({ connection: native, taskQueue: RECORD_QUEUE, activities: recordActivities(script) }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const runWorkflows = async (workflowBundle: WorkflowBundleOption = bundle) => {
    const worker = await Worker.create({ connection: native, taskQueue: TASK_QUEUE, workflowBundle });
    const ran = worker.run();
    return () => {
      worker.shutdown();
      return ran;
    };
  };
  let stopWorkflows = await runWorkflows();
  const own = ({ vnfLcmOpOccId }: StartedOperation) => script.ran.filter((one) => one.vnfLcmOpOccId === vnfLcmOpOccId);
  const records = ({ vnfLcmOpOccId }: StartedOperation) => script.recorded.get(vnfLcmOpOccId) ?? [];
  const handle = ({ vnfInstanceId }: StartedOperation) => client.workflow.getHandle(workflowId(vnfInstanceId));
  return {
    client,
    temporal,
    handle,
    ...script,
    records,
    /** Attempts that began, as inputs of their activities. */
    attempts: own,
    stepsOf: (one: StartedOperation) => own(one).map(({ stepId }) => stepId),
    /** Starts an operation as the API does, and repeats the request as its client does when the answer is late. */
    start: async (one: StartedOperation) => {
      const begin = () => startOperation(client, one, { isOpen: async () => true, endObsolete: async () => false });
      const again = (error: unknown) => {
        if (error instanceof VnflowError && error.code === 'ENGINE_UNAVAILABLE') return begin();
        throw error;
      };
      await begin().catch(again).catch(again);
    },
    /** Sends a control as the API does. */
    control: (one: StartedOperation, action: WithoutSender<OperatorAction>) =>
      sendControl(client, { ...action, by: 'tester' } as OperatorAction, one).then(
        (sent) => {
          if (sent === 'ended') throw new VnflowError('OPERATION_STATE', { detail: 'it has ended' });
        },
        (error: unknown) => Promise.reject(toEngineProblem(error)),
      ),
    /** Stops the worker of the workflows; activities go on. @returns starts it again */
    pauseWorkflows: async () => {
      await stopWorkflows();
      return async () => {
        stopWorkflows = await runWorkflows();
      };
    },
    /** Lets the workflows of another build go on with all operations. Undefined: those of the present code. */
    changeBuild: async (workflowBundle?: WorkflowBundleOption) => {
      await stopWorkflows();
      stopWorkflows = await runWorkflows(workflowBundle);
    },
    ended: (one: StartedOperation): Promise<unknown> => handle(one).result(),
    /** Waits until Temporal shows this activity of the workflow as pending; undefined: until it shows none. */
    untilPending: (one: StartedOperation, activity: string | undefined) =>
      until(
        `the pending activity is ${activity}`,
        async () => (await handle(one).describe()).raw.pendingActivities?.[0]?.activityType?.name,
        (name) => name === activity,
      ),
    untilRecorded: (one: StartedOperation, what: string) =>
      until(
        `the last record is ${what}`,
        () => records(one).at(-1) ?? '',
        (last) => last.includes(what),
      ),
    untilBegun: (one: StartedOperation, stepId: string, times = 1) =>
      until(
        `${stepId} has begun ${times} times`,
        () => own(one).filter((attempt) => attempt.stepId === stepId).length,
        (begun) => begun === times,
      ),
    stop: async () => {
      script.releaseAll();
      for (const worker of workers) worker.shutdown();
      await Promise.all([running, stopWorkflows()]);
      await native.close();
      await client.connection.close();
      await temporal.stop();
    },
  };
}

/** An operation of this test alone. Ids of instances of a terminate begin with f. */
export function newOperation(operation: Operation = 'INSTANTIATE'): StartedOperation {
  const id = randomUUID().slice(1);
  const vnfInstanceId = (operation === 'TERMINATE' ? 'f' : '0') + id;
  return { operation, vnfInstanceId, vnfLcmOpOccId: randomUUID(), tenant: 'nfv' };
}

type RecordName = keyof RecordActivities;
type Script = ReturnType<typeof newScript>;

/** A key of a script: a step or a record of all operations, or of one (`ofOperation`). */
export function ofOperation({ vnfLcmOpOccId }: Pick<StartedOperation, 'vnfLcmOpOccId'>, key: string): string {
  return `${vnfLcmOpOccId} ${key}`;
}

/** What a test sets for the activities, and what they have recorded. */
function newScript() {
  const holds = new Map<string, Promise<void>>();
  const releases = new Set<() => void>();
  return {
    ran: [] as StepInput[],
    recorded: new Map<string, string[]>(),
    /** Step → how its next attempt fails. */
    failOnce: new Map<string, StepTrouble>(),
    /** Record → why it fails, again and again. */
    broken: new Map<string, ApplicationFailure>(),
    /** Operation → its plans. An operation without an entry gets those of a small cluster. */
    plans: new Map<string, { readonly forward: Plan; readonly rollback?: Plan | undefined }>(),
    /** Operation → what a workflow that takes it over finds in the store. */
    adopted: new Map<string, OperationProgress>(),
    /** Operations whose request the API has withdrawn. */
    withdrawn: new Set<string>(),
    holds,
    /**
     * Attempts at a step (`*`: at every step), or a record, do not end before they are released.
     * @returns the release
     */
    hold: (stepId: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.set(stepId, promise);
      releases.add(resolve);
      return () => {
        holds.delete(stepId);
        resolve();
      };
    },
    releaseAll: () => {
      for (const release of releases) release();
    },
  };
}

function recordActivities({ recorded, broken, holds, withdrawn, plans, adopted }: Script): RecordActivities {
  const note = async (name: RecordName, vnfLcmOpOccId: string, what?: string) => {
    const id = vnfLcmOpOccId;
    const own = ofOperation({ vnfLcmOpOccId }, name);
    await heldUp([holds.get(name), holds.get(own)]);
    const failure = broken.get(own) ?? broken.get(name);
    if (failure) throw failure;
    if (what !== undefined) recorded.set(id, [...(recorded.get(id) ?? []), what]);
  };
  return {
    recordAccepted: async ({ vnfLcmOpOccId }) => {
      if (withdrawn.has(vnfLcmOpOccId)) return false;
      await note('recordAccepted', vnfLcmOpOccId, 'STARTING');
      return true;
    },
    adoptOperation: async ({ vnfLcmOpOccId }) => {
      await note('adoptOperation', vnfLcmOpOccId);
      const progress = adopted.get(vnfLcmOpOccId);
      if (progress) return progress;
      throw ApplicationFailure.nonRetryable('it has ended', 'OPERATION_STATE');
    },
    requestGrant: ({ vnfLcmOpOccId }) => note('requestGrant', vnfLcmOpOccId),
    surveyControlPlane: ({ vnfLcmOpOccId }) => note('surveyControlPlane', vnfLcmOpOccId),
    makePlan: async ({ direction, vnfInstanceId, vnfLcmOpOccId }) => {
      await holds.get(`makePlan ${direction}`);
      if (direction === 'rollback') await note('makePlan', vnfLcmOpOccId);
      const planned = plans.get(vnfLcmOpOccId)?.[direction];
      if (planned) return planned;
      if (direction === 'rollback') return planInstantiateRollback();
      if (vnfInstanceId.startsWith('f')) return planTerminate({ terminationType: 'FORCEFUL' });
      const plan = planInstantiate({
        controlPlane: { vduId: 'masterNode', count: 1 },
        workers: { vduId: 'workerNode', count: 2 },
        loadBalanced: false,
      });
      return { ...plan, labels: { 'workerNode[1]': 'worker57 (10.10.0.57)' } };
    },
    recordState: async ({ vnfLcmOpOccId, state, failure }: StateRecord) => {
      const what = failure ? `${state} ${failure.code} ${failure.stepId ?? '-'} ${failure.detail}` : state;
      await note('recordState', vnfLcmOpOccId, what);
      return failure ? { remedy: problemOf({ state, vnfLcmOpOccId, otherFailures: 0 }, failure).remedy } : {};
    },
    recordCancelPending: ({ vnfLcmOpOccId, cancelMode, by }) =>
      note('recordCancelPending', vnfLcmOpOccId, `cancel ${cancelMode} by ${by}`),
    recordStepControl: ({ vnfLcmOpOccId, kind, stepId, by }) =>
      note('recordStepControl', vnfLcmOpOccId, `${kind} ${stepId} by ${by}`),
    recordTimer: async ({ vnfLcmOpOccId, state }) => {
      if (plans.has(vnfLcmOpOccId)) await note('recordTimer', vnfLcmOpOccId, `timer ${state}`);
    },
    recordEnd: ({ vnfLcmOpOccId, direction }) =>
      note('recordEnd', vnfLcmOpOccId, direction === 'forward' ? 'COMPLETED' : 'ROLLED_BACK'),
  };
}

function stepActivities({ ran, failOnce, holds }: Script): StepActivities {
  const attempt = async (input: StepInput) => {
    ran.push(input);
    const own = ofOperation(input, input.stepId);
    await heldUp([holds.get('*'), holds.get(input.stepId), holds.get(own)]);
    const key = failOnce.has(own) ? own : input.stepId;
    const trouble = failOnce.get(key);
    failOnce.delete(key);
    if (!trouble) return {};
    const { type, message, retriable = false, seen = 'tail' } = trouble;
    throw ApplicationFailure.create({ type, message, nonRetryable: !retriable, details: [{ seen }] });
  };
  return Object.fromEntries(Object.keys(STEP_KINDS).map((kind) => [kind, attempt])) as unknown as StepActivities;
}

/** Waits for the release, or until the attempt is cancelled. */
async function heldUp(holds: readonly (Promise<void> | undefined)[]): Promise<void> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 20);
  try {
    for (const hold of holds) if (hold) await Promise.race([hold, context.cancelled]);
  } finally {
    clearInterval(beat);
  }
}
