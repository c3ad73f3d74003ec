import {
  makeRefusal,
  type Objection,
  objectToReplacement,
  objectToRestore,
  objectToSource,
  type Verdicts,
  verdictsOf,
} from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-evidence.ts';
import type { ControlPlaneSurvey, Verdict } from '../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import { listSteps } from '../../store/operation-steps.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { pollUntil, steadyPause } from '../attempt/poll.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import { controlPlaneSlots } from '../node/control-plane.ts';
import { askControlPlane } from './ask-control-plane.ts';

/**
 * The verdicts that the plan rests on: those of the survey, and those that a step has found since. Empty without a
 * survey.
 */
export async function readPlannedVerdicts(context: ActivityContext): Promise<Verdicts> {
  const survey = await readFact(context, 'survey');
  const confirmed = await readFact(context, 'confirmed');
  return { ...(survey ? verdictsOf(survey) : {}), ...confirmed };
}

/** Whether the operation restores a cluster that has lost its majority. */
async function isRestore({ deps, input }: ActivityContext): Promise<boolean> {
  return (await listSteps(deps.db, input.vnfLcmOpOccId)).some(({ kind }) => kind === 'restoreControlPlane');
}

/**
 * To be called right before servers of control-plane nodes are stopped or deleted. Asks the control plane, for minutes,
 * until it is as the plan says. Does nothing when no control-plane node is among the servers.
 * @param leaving slots of all nodes whose servers go, workers as well
 * @throws VnflowError CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED
 */
export async function mustBeAsPlanned(context: LeasedContext, leaving: readonly string[]): Promise<void> {
  const going = (await controlPlaneSlots(context)).filter((slot) => leaving.includes(slot));
  if (going.length === 0) return;
  const before = await readPlannedVerdicts(context);
  const object = (await isRestore(context)) ? objectToRestore : objectToReplacement;
  await surveyUnobjected(context, { last: going, object: (now) => object(before, now, going) });
}

/**
 * To be called before the backup is taken that a cluster is restored from. Keeps the verdict: the later steps rest on
 * it.
 * @param source slot of the control-plane node that gives the backup
 * @returns the verdict on the node. When it is not `alive`, its last state is lost, and an older backup must do
 */
export async function confirmSource(context: LeasedContext, source: string): Promise<Verdict> {
  const before = await readPlannedVerdicts(context);
  const now = await surveyUnobjected(context, {
    last: [],
    object: (seen) => objectToSource(before, seen, source),
  });
  const verdict = verdictsOf(now)[source] ?? 'unknown';
  await keepFacts(context, { confirmed: { [source]: verdict } });
  return verdict;
}

interface Confirmation {
  /** Slots of the control-plane nodes that the survey asks last. */
  readonly last: readonly string[];
  readonly object: (now: ControlPlaneSurvey) => Objection | undefined;
}

function surveyUnobjected(context: LeasedContext, { last, object }: Confirmation): Promise<ControlPlaneSurvey> {
  const look = (leftSeconds: number) => askControlPlane(context, { last, patienceSeconds: Math.max(1, leftSeconds) });
  return lookUntilUnobjected(context, { look, object });
}

interface Evidence<Seen> {
  /** @param leftSeconds how long an objection may still pass; negative after that */
  look(leftSeconds: number): Promise<Seen>;
  /** Says what speaks against going on. */
  object(seen: Seen): Objection | undefined;
}

/**
 * Repeats a look until nothing speaks against going on: an objection may pass within minutes.
 * @returns the last sight
 * @throws VnflowError of the objection that does not pass: CONTROL_PLANE_UNKNOWN, CONTROL_PLANE_CHANGED, QUORUM_LOST
 */
export async function lookUntilUnobjected<Seen>(
  context: LeasedContext,
  { look, object }: Evidence<Seen>,
): Promise<Seen> {
  const { pace } = context.deps;
  const until = Date.now() + pace.surveyLimit * 1000;
  const { seen } = await pollUntil({ pause: steadyPause(pace.poll), signal: context.signal }, async () => {
    const seen = await look((until - Date.now()) / 1000);
    const objection = object(seen);
    if (!objection) return { seen };
    if (!objection.mayPass || Date.now() >= until) throw makeRefusal(objection);
    context.say(objection.detail);
    return undefined;
  });
  return seen;
}
