import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setDefaultUpdateHandler,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { OperationInput } from '../domain/operation/activity-contract.ts';
import { type Plan, readStep } from '../domain/operation/plan.ts';
import type { OperationProgress } from '../domain/operation/progress.ts';
import { adoptProgress, applyDecision, failuresOf, setPlan } from '../domain/operation/run.ts';
import type { OperationState } from '../domain/operation/state.ts';
import type { StepFailure } from '../domain/operation/step-failure.ts';
import { acceptUpdate } from './contract.ts';
import { offerControls, refused } from './controls.ts';
import { executePlan } from './executor.ts';
import { failureOf } from './failure.ts';
import { enter, enterWith, keepLabels, newContext, type OperationContext, showDetails } from './operation-context.ts';
import { offerQueries } from './progress-queries.ts';
import { decide, finish, nfvo, record, survey } from './records.ts';
import { searchAttribute } from './search-attributes.ts';

/** After this time without an `accept` a workflow ends by itself. Its client has given up after 8 s. */
const ACCEPT_TIMEOUT = '15 seconds';

/**
 * Runs a VnfLcmOpOcc through its states (SOL003 5.4, as Tacker runs it): it is accepted, granted, planned and executed.
 * In FAILED_TEMP it waits for retry, rollback or fail.
 */
export async function runOperation(input: OperationInput): Promise<OperationState | 'NEVER_ACCEPTED'> {
  // Temporal's own cancel would leave the operation in PROCESSING for ever. SOL003's cancel is an update of this
  // workflow.
  return CancellationScope.nonCancellable(async () => {
    const context = newContext(input);
    offerAcceptance(context, input);
    offerControls(context);
    offerQueries(context);
    const accepted = await isAccepted(context, input);
    if (accepted) {
      hideAcceptance(input);
      await runToEnd(context);
    }
    await condition(allHandlersFinished);
    return accepted ? context.run.state : 'NEVER_ACCEPTED';
  });
}

function offerAcceptance(context: OperationContext, input: OperationInput): void {
  const accept = async () => {
    if (context.acceptance === 'awaited') context.acceptance = 'accepted';
    // The first control follows at once. It is judged by the state that was taken over.
    if (input.takesOver) await condition(() => context.acceptance !== 'accepted');
  };
  setHandler(acceptUpdate, accept, {
    validator: ({ vnfLcmOpOccId }) => refuseOtherOperation(input, vnfLcmOpOccId),
    description: 'first message: resolves when the history contains the request',
  });
}

function refuseOtherOperation({ vnfInstanceId, vnfLcmOpOccId: own }: OperationInput, vnfLcmOpOccId: unknown): void {
  if (vnfLcmOpOccId === own) return;
  throw refused('VNF_BUSY', `Other LCM operation of vnfInstance ${vnfInstanceId} is in progress.`);
}

/**
 * Takes `accept` out of the list of updates that the Temporal UI offers: after the first one it is nothing for
 * operators. The API still gets its answers, from the handler of all updates that have none of their own. Unlike a
 * validator, it can only fail an update that is in the history by then: two events for each.
 */
function hideAcceptance(input: OperationInput): void {
  setDefaultUpdateHandler(async (name, ...[sent]: unknown[]) => {
    if (name !== acceptUpdate.name) throw refused('BAD_REQUEST', `There is no update ${name}.`);
    const isObject = typeof sent === 'object' && sent !== null;
    refuseOtherOperation(input, isObject && 'vnfLcmOpOccId' in sent ? sent.vnfLcmOpOccId : undefined);
  });
  setHandler(acceptUpdate, undefined);
}

/**
 * Waits for `accept`, and then asks the store whether the request still stands.
 * @returns false when it was withdrawn
 */
async function isAccepted(context: OperationContext, { takesOver = false }: OperationInput): Promise<boolean> {
  await condition(() => context.acceptance !== 'awaited', ACCEPT_TIMEOUT);
  if (context.acceptance === 'awaited') return false;
  const stands = takesOver ? await isTakenOver(context) : await record.recordAccepted(context.ref);
  context.acceptance = stands ? 'recorded' : 'withdrawn';
  return stands;
}

/** @returns false when the operation has ended: another workflow was faster */
async function isTakenOver(context: OperationContext): Promise<boolean> {
  try {
    takeOver(context, await record.adoptOperation(context.ref));
    return true;
  } catch (error) {
    if (failureOf('The takeover', error).code === 'OPERATION_STATE') return false;
    throw error;
  }
}

/** Goes on from the plan and the steps in the store. The operation waits in FAILED_TEMP for a decision. */
function takeOver(context: OperationContext, progress: OperationProgress): void {
  const { run } = context;
  adoptProgress(run, progress);
  keepLabels(context, progress.labels);
  context.seq = progress.seq;
  context.followed = run.plan?.direction;
  context.failures = [progress.lost];
  context.remedy = progress.remedy;
  upsertSearchAttributes([{ key: searchAttribute.operationState, value: run.state }]);
  showDetails(context);
}

/** Brings the operation to its end: from STARTING, or from FAILED_TEMP when it was taken over. */
async function runToEnd(context: OperationContext): Promise<void> {
  const { run } = context;
  if (run.state === 'FAILED_TEMP') await carryOutDecision(context);
  else if (!(await beginOperation(context))) return;
  while (run.state !== 'FAILED') {
    const why = await followPlan(context);
    if (why.length === 0) return;
    await enter(context, run.cancel ? 'cancel' : 'error', { failures: why });
    await carryOutDecision(context);
  }
}

/**
 * Brings the operation from STARTING to PROCESSING.
 * @returns false when the operation ended in ROLLED_BACK: nothing was done
 */
async function beginOperation(context: OperationContext): Promise<boolean> {
  const { run } = context;
  const failures = await makeForwardPlan(context);
  const event = run.cancel ? 'cancel' : failures.length > 0 ? 'refused' : 'granted';
  await enter(context, event, { failures: run.cancel ? [...failuresOf(run), ...failures] : failures });
  return event === 'granted';
}

/**
 * Follows the plan to its end. An operation that was lost before it had a plan gets one first.
 * @returns the failures; empty when the plan is at its end
 */
async function followPlan(context: OperationContext): Promise<StepFailure[]> {
  const { run } = context;
  const unprepared = run.plan === undefined ? await makeForwardPlan(context) : [];
  if (unprepared.length > 0 || run.plan === undefined) return [...failuresOf(run), ...unprepared];
  await executePlan(context);
  const rest = failuresOf(run);
  return rest.length === 0 ? recordEnd(context) : rest;
}

/** Gets the grant and the plan. @returns the failures; empty when the plan is there */
async function makeForwardPlan(context: OperationContext): Promise<StepFailure[]> {
  const { ref, run } = context;
  context.grant = new CancellationScope();
  try {
    await context.grant.run(() => askBeforePlan(context));
    const { labels = {}, ...plan } = await decide.makePlan({ ...ref, direction: 'forward' });
    keepLabels(context, labels);
    setPlan(run, readPlan(plan));
    return [];
  } catch (error) {
    return isCancellation(error) ? [] : [{ stepId: 'grant', ...failureOf('The grant', error) }];
  } finally {
    context.grant = undefined;
  }
}

/** Asks for what the plan rests on: the grant of the NFVO and, for some operations, a survey of the control plane. */
async function askBeforePlan({ ref, surveysControlPlane }: OperationContext): Promise<void> {
  await nfvo.requestGrant.executeWithOptions({ summary: 'ask the NFVO for the grant' }, [ref]);
  if (!surveysControlPlane) return;
  await survey.surveyControlPlane.executeWithOptions({ summary: 'ask etcd who votes and who answers' }, [ref]);
}

/** Records COMPLETED or ROLLED_BACK. @returns why it could not be recorded; empty when it was */
async function recordEnd(context: OperationContext): Promise<StepFailure[]> {
  const { ref, run } = context;
  const direction = run.plan?.direction ?? 'forward';
  try {
    await enterWith(context, direction === 'forward' ? 'COMPLETED' : 'ROLLED_BACK', (seq) =>
      finish.recordEnd({ ...ref, seq, direction }),
    );
    context.failures = [];
    context.remedy = undefined;
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
    const rollback = decision === 'rollback' ? await makeRollbackPlan(context) : undefined;
    if (rollback !== undefined && 'failure' in rollback) {
      run.decision = undefined;
      request.failure = rollback.failure;
    } else {
      applyDecision(run, decision, rollback?.plan);
      await enter(context, decision, { by: request.by });
    }
    request.over = true;
    if (run.state !== 'FAILED_TEMP') return;
  }
}

/** Gets the plan of the rollback. @returns undefined when a rollback is under way already */
async function makeRollbackPlan({
  run,
  ref,
}: OperationContext): Promise<{ plan: Plan } | { failure: StepFailure } | undefined> {
  if (run.plan?.direction === 'rollback') return undefined;
  try {
    const { labels: _, ...plan } = await decide.makePlan({ ...ref, direction: 'rollback' });
    return { plan: readPlan(plan) };
  } catch (error) {
    return { failure: failureOf('The plan of the rollback', error) };
  }
}

/** The history may have a plan that an older release made. */
function readPlan(plan: Plan): Plan {
  return { ...plan, steps: plan.steps.map(readStep) };
}
