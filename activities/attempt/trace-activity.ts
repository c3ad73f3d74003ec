import type { Context } from '@temporalio/activity';
import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { isStepKind } from '../../domain/steps/index.ts';
import { presentRecorder, type SpanAttributes, traceBelow } from '../../tracing/spans.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { operationPlace } from '../facts/operation-place.ts';
import { awaitStore } from './await-store.ts';

/** Activities besides the steps that take their time: they ask the VIM and the cluster. */
const QUESTIONS: ReadonlySet<string> = new Set(['requestGrant', 'surveyControlPlane', 'makePlan']);

interface Call {
  readonly context: Context;
  readonly input: StepInput;
}

/**
 * Records an activity of an operation as a part of the operation's span. Each attempt is a span of its own. What
 * the activity asks of nodes and of the VIM are parts of it.
 */
export async function traceActivity(
  deps: ActivityDependencies,
  { context, input }: Call,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const recorder = presentRecorder();
  const { activityType } = context.info;
  if (!recorder || !(isStepKind(activityType) || QUESTIONS.has(activityType))) return work();
  const parent = await awaitStore(context, () => operationPlace(deps.db, recorder, input.vnfLcmOpOccId));
  return traceBelow(parent, { name: activityType, attributes: attributesOf(input) }, work);
}

function attributesOf({ vnfLcmOpOccId, vnfInstanceId, ...input }: StepInput): SpanAttributes {
  const { stepId, slot } = input as { readonly stepId?: unknown; readonly slot?: unknown };
  return {
    'vnflow.operation.id': vnfLcmOpOccId,
    'vnflow.instance.id': vnfInstanceId,
    ...(typeof stepId === 'string' ? { 'vnflow.step.id': stepId } : {}),
    ...(typeof slot === 'string' ? { 'vnflow.step.slot': slot } : {}),
  };
}
