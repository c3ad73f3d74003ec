import { VnflowError } from '../../problems.ts';
import { PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import { type ControlPlaneSurvey, nodeTexts, whyUndecided } from './control-plane-survey.ts';
import type { HealFacts } from './heal-facts.ts';
import { drawReplacement } from './heal-replacement.ts';
import { drawRestoration, restoreSource } from './plan-restore.ts';
import { healOrder } from './quorum.ts';

/**
 * Replaces nodes and nothing else. Workers are drained first. Control-plane nodes are replaced so that etcd never loses
 * its majority: dead nodes leave before any node joins, and living nodes leave one at a time. The only control-plane
 * node is restored; several are replaced as long as etcd keeps its majority, and restored if the request allows it. No
 * step touches a worker that stays.
 * @param survey undefined in a dry run: every control-plane node counts as alive, and where it depends on the survey
 * whether nodes are replaced or restored, the steps of both ways are drawn. So a survey leads to no step that the dry
 * run does not name.
 * @throws VnflowError QUORUM_LOST, QUORUM_INCOMPLETE with the arithmetic and the members; CONTROL_PLANE_UNKNOWN when
 * the survey cannot tell which nodes are dead
 */
export function drawHeal(drawing: PlanDrawing, facts: HealFacts, survey?: ControlPlaneSurvey): void {
  const { controlPlane, shape } = facts;
  if (controlPlane.length === 0) drawReplacement(drawing, facts, { dead: [], alive: [] });
  else if (shape.controlPlane.count === 1) drawRestored(drawing, facts, survey);
  else if (survey) drawSurveyed(drawing, facts, survey);
  else {
    drawReplacement(drawing, facts, { dead: [], alive: controlPlane });
    if (!facts.allowRestore) return;
    const restored = new PlanDrawing();
    drawRestored(restored, facts, undefined);
    drawing.addMissing(restored);
  }
}

function drawSurveyed(drawing: PlanDrawing, facts: HealFacts, survey: ControlPlaneSurvey): void {
  const undecided = whyUndecided(survey);
  if (undecided !== undefined) {
    throw new VnflowError('CONTROL_PLANE_UNKNOWN', { detail: `Nothing was touched: ${undecided}.` });
  }
  const order = healOrder(survey.members, survey.nodes, facts.controlPlane);
  if (order.verdict === 'possible') drawReplacement(drawing, facts, order);
  else if (order.verdict === 'lost' && facts.allowRestore) drawRestored(drawing, facts, survey);
  else {
    throw new VnflowError(order.verdict === 'lost' ? 'QUORUM_LOST' : 'QUORUM_INCOMPLETE', {
      detail: `Nothing was touched: ${order.sentence}`,
      seen: nodeTexts(survey.nodes),
    });
  }
}

function drawRestored(drawing: PlanDrawing, facts: HealFacts, survey: ControlPlaneSurvey | undefined): void {
  const source = restoreSource(facts, survey);
  if (typeof source === 'string') {
    throw new VnflowError('QUORUM_LOST', {
      detail: `Nothing was touched: ${source}`,
      ...(survey ? { seen: nodeTexts(survey.nodes) } : {}),
    });
  }
  drawRestoration(drawing, facts, source);
}
