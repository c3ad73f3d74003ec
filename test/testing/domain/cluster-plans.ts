import type { Plan } from '../../../domain/operation/plan.ts';
import * as stack from '../../../domain/stack-plans/instantiate.ts';
import { PlanDrawing } from '../../../domain/stack-plans/plan-drawing.ts';
import * as scaling from '../../../domain/stack-plans/scale.ts';
import type { ControlPlaneSurvey } from '../../../domain/vnf-kinds/kubernetes-cluster/control-plane-survey.ts';
import type { HealFacts } from '../../../domain/vnf-kinds/kubernetes-cluster/heal-facts.ts';
import { insideCluster } from '../../../domain/vnf-kinds/kubernetes-cluster/inside-cluster.ts';
import { drawNewCluster } from '../../../domain/vnf-kinds/kubernetes-cluster/new-cluster.ts';
import { drawHeal } from '../../../domain/vnf-kinds/kubernetes-cluster/plan-heal.ts';
import type { ClusterShape } from '../../../domain/vnf-kinds/kubernetes-cluster/shape.ts';

/** For tests: the plan of a new cluster. */
export function planInstantiate(shape: ClusterShape): Plan {
  return stack.planInstantiate(insideCluster({ shape }));
}

/** A scale needs only one fact of the shape: whether the workers are kept apart. */
const anyShape: ClusterShape = {
  controlPlane: { vduId: 'masterNode', count: 1 },
  workers: { vduId: 'workerNode', count: 1 },
  loadBalanced: false,
};

/** For tests: the plan of a scale of workers. */
export function planScale(facts: scaling.ScaleFacts, shape = anyShape): Plan {
  return scaling.planScale(facts, insideCluster({ shape }));
}

/** For tests: the plan that undoes a scale out of workers. */
export function planScaleOutRollback(facts: scaling.ScaleFacts, shape = anyShape): Plan {
  return scaling.planScaleOutRollback(facts, insideCluster({ shape }));
}

/** For tests: the plan of a heal. @param facts.recreate the whole stack anew */
export function planHeal(facts: HealFacts & { readonly recreate?: boolean }, survey?: ControlPlaneSurvey): Plan {
  const drawing = new PlanDrawing();
  if (facts.recreate) drawNewCluster(drawing, facts.shape, drawing.recreateStack());
  else drawHeal(drawing, facts, survey);
  return drawing.plan('HEAL', 'forward', { rollbackSupported: false });
}
