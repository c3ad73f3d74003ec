import type { OperationRef, RecordActivities } from '../../domain/operation/activity-contract.ts';
import { heartbeating } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { adoptOperation } from './adopt-operation.ts';
import { makePlan } from './make-plan.ts';
import { recordAccepted } from './record-accepted.ts';
import { recordCancelPending } from './record-cancel-pending.ts';
import type { QuestionActivity, RecordActivity } from './record-context.ts';
import { recordEnd } from './record-end.ts';
import { recordState } from './record-state.ts';
import { recordStepControl } from './record-step-control.ts';
import { recordTimer } from './record-timer.ts';
import { requestGrant } from './request-grant.ts';
import { surveyControlPlane } from './survey-control-plane.ts';

type Questions = 'requestGrant' | 'surveyControlPlane';
type Records = Exclude<keyof RecordActivities, Questions>;

/**
 * The activities that write the state of an operation into the store. No other code writes it. One file, one activity.
 */
const RECORDS: { readonly [K in Records]: RecordActivity<K> } = {
  recordAccepted,
  adoptOperation,
  makePlan,
  recordState,
  recordCancelPending,
  recordStepControl,
  recordTimer,
  recordEnd,
};

/** The activities that ask the VIM and the cluster before a plan is made. */
const QUESTIONS: { readonly [K in Questions]: QuestionActivity<K> } = { requestGrant, surveyControlPlane };

/** Makes the activities that record what an operation becomes. */
export function createRecordActivities(deps: ActivityDependencies): Pick<RecordActivities, Records> {
  const activityOf =
    <K extends Records>(name: K) =>
    (input: Parameters<RecordActivities[K]>[0]) =>
      RECORDS[name]({ deps, input });
  return Object.fromEntries(Object.keys(RECORDS).map((name) => [name, activityOf(name as Records)])) as unknown as Pick<
    RecordActivities,
    Records
  >;
}

/** Makes the activities that find out what a plan rests on. They send heartbeats: the VIM or a node may answer late. */
export function createQuestionActivities(deps: ActivityDependencies): Pick<RecordActivities, Questions> {
  const activityOf = (name: Questions) => (input: OperationRef) =>
    heartbeating((lease) => QUESTIONS[name]({ deps, input, ...lease }));
  return { requestGrant: activityOf('requestGrant'), surveyControlPlane: activityOf('surveyControlPlane') };
}
