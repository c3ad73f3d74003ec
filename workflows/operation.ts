import { allHandlersFinished, CancellationScope, condition, isCancellation, setHandler } from '@temporalio/workflow';
import type { OperationInput, StepFailure } from '../domain/activity-contract.ts';
import { decided, failuresOf, planned } from '../domain/operation-run.ts';
import type { OperationState } from '../domain/operation-state.ts';
import type { Plan } from '../domain/plan.ts';
import { acceptUpdate } from './contract.ts';
import { offerControls, refused } from './controls.ts';
import { executePlan } from './executor.ts';
import { failureOf } from './failure.ts';
import { enter, enterWith, learn, newContext, type OperationContext, showDetails } from './operation-context.ts';
import { decide, finish, nfvo, record, survey } from './records.ts';

/** A workflow that nobody addressed ends by itself after this. */
const ACCEPT_TIMEOUT = '1 minute';

/**
 * The life of a VnfLcmOpOcc (SOL003 5.4, as Tacker runs it): accepted, granted, planned, executed; in FAILED_TEMP it waits for
 * retry, rollback or fail.
 */
export async function runOperation(input: OperationInput): Promise<OperationState | 'NEVER_ACCEPTED'> {
  // Temporal's own cancel would leave the operation in PROCESSING for ever; SOL003's way out is an update of this workflow.
  return CancellationScope.nonCancellable(async () => {
    const context = newContext(input);
    offerAcceptance(context, input);
    offerControls(context);
    const accepted = await isAccepted(context);
    if (accepted) await live(context);
    await condition(allHandlersFinished);
    return accepted ? context.run.state : 'NEVER_ACCEPTED';
  });
}

function offerAcceptance(context: OperationContext, { vnfInstanceId, vnfLcmOpOccId: own }: OperationInput): void {
  const accept = async () => {
    context.acceptance = 'under way';
    context.acceptance = await record.recordAccepted(context.ref).then(
      () => 'done' as const,
      (error: unknown) => {
        context.acceptance = 'failed';
        throw error;
      },
    );
  };
  setHandler(acceptUpdate, accept, {
    validator: ({ vnfLcmOpOccId }) => {
      if (vnfLcmOpOccId === own) return;
      throw refused('VNF_BUSY', `Other LCM operation of vnfInstance ${vnfInstanceId} is in progress.`);
    },
    description: 'first message: resolves when the operation is in the store',
  });
}

/** Never gives up while the acceptance is on its way into the store: the row could still appear, and stay in STARTING. */
async function isAccepted(context: OperationContext): Promise<boolean> {
  await condition(() => context.acceptance !== 'awaited', ACCEPT_TIMEOUT);
  await condition(() => context.acceptance !== 'under way');
  return context.acceptance === 'done';
}

/** From STARTING to the end. */
async function live(context: OperationContext): Promise<void> {
  const { run } = context;
  const failures = await prepare(context);
  if (run.cancel) return enter(context, 'cancel', { failures: [...failuresOf(run), ...failures] });
  if (failures.length > 0) return enter(context, 'refused', { failures });
  await enter(context, 'granted');
  for (;;) {
    await executePlan(context);
    const rest = failuresOf(run);
    const why = rest.length === 0 ? await recordEnd(context) : rest;
    if (why.length === 0) return;
    await enter(context, run.cancel ? 'cancel' : 'error', { failures: why });
    await carryOutDecision(context);
    if (run.state === 'FAILED') return;
  }
}

/** Grant and plan. @returns why there is none */
async function prepare(context: OperationContext): Promise<StepFailure[]> {
  const { ref, run } = context;
  context.grant = new CancellationScope();
  try {
    await context.grant.run(() => ask(context));
    const { labels = {}, ...plan } = await decide.makePlan({ ...ref, direction: 'forward' });
    learn(context, labels);
    planned(run, plan);
    return [];
  } catch (error) {
    return isCancellation(error) ? [] : [{ stepId: 'grant', ...failureOf('The grant', error) }];
  } finally {
    context.grant = undefined;
  }
}

/** Whoever has to agree, and has to be known before there is a plan. */
async function ask({ ref, run }: OperationContext): Promise<void> {
  await nfvo.requestGrant.executeWithOptions({ summary: 'ask the NFVO for the grant' }, [ref]);
  if (run.operation !== 'HEAL') return;
  await survey.surveyControlPlane.executeWithOptions({ summary: 'ask etcd who votes and who answers' }, [ref]);
}

/** COMPLETED or ROLLED_BACK. @returns why it could not be recorded */
async function recordEnd(context: OperationContext): Promise<StepFailure[]> {
  const { ref, run } = context;
  const direction = run.plan?.direction ?? 'forward';
  try {
    await enterWith(context, direction === 'forward' ? 'COMPLETED' : 'ROLLED_BACK', () =>
      finish.recordEnd({ ...ref, direction }),
    );
    context.failures = [];
    showDetails(context);
    return [];
  } catch (error) {
    return [failureOf(`The end of the ${run.operation} operation`, error)];
  }
}

/** Waits in FAILED_TEMP for a decision, and carries it out. */
async function carryOutDecision(context: OperationContext): Promise<void> {
  const { run } = context;
  for (;;) {
    await condition(() => run.decision !== undefined && context.request !== undefined);
    const { decision } = run;
    const { request } = context;
    if (decision === undefined || request === undefined) continue;
    context.request = undefined;
    const rollback = decision === 'rollback' ? await rollbackPlan(context) : undefined;
    if (rollback !== undefined && 'failure' in rollback) {
      run.decision = undefined;
      request.failure = rollback.failure;
    } else {
      decided(run, decision, rollback?.plan);
      await enter(context, decision, { by: request.by });
    }
    request.over = true;
    if (run.state !== 'FAILED_TEMP') return;
  }
}

/** None when a rollback is under way already. */
async function rollbackPlan({
  run,
  ref,
}: OperationContext): Promise<{ plan: Plan } | { failure: StepFailure } | undefined> {
  if (run.plan?.direction === 'rollback') return undefined;
  try {
    const { labels: _, ...plan } = await decide.makePlan({ ...ref, direction: 'rollback' });
    return { plan };
  } catch (error) {
    return { failure: failureOf('The plan of the rollback', error) };
  }
}
