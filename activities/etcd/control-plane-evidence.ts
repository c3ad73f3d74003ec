import { setTimeout as delay } from 'node:timers/promises';
import type { OperationRef, StepInput } from '../../domain/operation/activity-contract.ts';
import {
  type Objection,
  objectToReplacement,
  objectToRestore,
  objectToSource,
  refusalOf,
  type Verdicts,
  verdictsOf,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-evidence.ts';
import type { ControlPlaneSurvey, Verdict } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import { listSteps } from '../../store/operation-steps.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { askControlPlane } from '../records/survey.ts';

/** What the plan rests on: the survey, and what a step has found out since. Empty when nobody was asked. */
export async function plannedVerdicts(deps: ActivityDependencies, ref: OperationRef): Promise<Verdicts> {
  const survey = await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'survey');
  const confirmed = await readOperationFact(deps.db, ref.vnfLcmOpOccId, 'confirmed');
  return { ...(survey ? verdictsOf(survey) : {}), ...confirmed };
}

/** Does the operation bring a cluster back whose majority is lost? */
async function isRestore(deps: ActivityDependencies, { vnfLcmOpOccId }: OperationRef): Promise<boolean> {
  return (await listSteps(deps.db, vnfLcmOpOccId)).some(({ kind }) => kind === 'restoreControlPlane');
}

/**
 * To be called right before servers of control-plane nodes are stopped or deleted: asks the control plane again, for minutes, while
 * it is not as the plan says. Does nothing when no control-plane node is among them.
 * @param leaving slots of all nodes whose servers go, workers as well
 * @throws VnflowError CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED
 */
export async function mustBeAsPlanned(
  deps: ActivityDependencies,
  input: StepInput,
  { leaving, beat }: { leaving: readonly string[]; beat: Beat },
): Promise<void> {
  const masters = (await listControlPlane(deps.db, input.vnfInstanceId)).map(({ slot }) => slot);
  const going = masters.filter((slot) => leaving.includes(slot));
  if (going.length === 0) return;
  const before = await plannedVerdicts(deps, input);
  const object = (await isRestore(deps, input)) ? objectToRestore : objectToReplacement;
  await unobjected(deps, input, { last: going, beat, object: (now) => object(before, now, going) });
}

/**
 * To be called before the backup that a cluster is restored from is taken. What is found out is written down: the later steps rest on it.
 * @param source slot of the control-plane node that it is to be taken from
 * @returns whether it lives; if not, its last state is lost, and an older backup must do
 */
export async function confirmSource(
  deps: ActivityDependencies,
  input: StepInput,
  { source, beat }: { source: string; beat: Beat },
): Promise<Verdict> {
  const before = await plannedVerdicts(deps, input);
  const object = (now: ControlPlaneSurvey) => objectToSource(before, now, source);
  const now = await unobjected(deps, input, { last: [], beat, object });
  const verdict = verdictsOf(now)[source] ?? 'unknown';
  await writeAsAttempt(deps, ({ db }) =>
    keepOperationFacts(db, input.vnfLcmOpOccId, { confirmed: { [source]: verdict } }),
  );
  return verdict;
}

interface Confirmation {
  readonly last: readonly string[];
  readonly beat: Beat;
  readonly object: (now: ControlPlaneSurvey) => Objection | undefined;
}

async function unobjected(
  deps: ActivityDependencies,
  ref: OperationRef,
  { last, beat, object }: Confirmation,
): Promise<ControlPlaneSurvey> {
  const until = Date.now() + deps.pace.surveyLimit * 1000;
  for (;;) {
    const patienceSeconds = Math.max(1, (until - Date.now()) / 1000);
    const now = await askControlPlane(deps, ref, { last, patienceSeconds, beat });
    const objection = object(now);
    if (!objection) return now;
    if (!objection.mayPass || Date.now() >= until) throw refusalOf(objection);
    beat.say(objection.detail);
    await delay(deps.pace.poll.longest * 1000, undefined, { signal: beat.signal });
  }
}
