import { z } from 'zod';
import { disruptionOf, type ExistingNode } from '../../domain/disruption.ts';
import { OPERATIONS } from '../../domain/operation-state.ts';
import { criticalPath, type Plan, type PlanStep } from '../../domain/plan.ts';
import { planInstantiate, planInstantiateRollback } from '../../domain/planner/instantiate.ts';
import { planScaleOutRollback } from '../../domain/planner/scale.ts';
import { planTerminate } from '../../domain/planner/terminate.ts';
import {
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
} from '../../domain/sol-requests.ts';
import { stepSummary } from '../../domain/step-kind.ts';
import { type ClusterNode, listClusterNodes } from '../../store/cluster-nodes.ts';
import { expectedDurations } from '../../store/step-durations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { parseMember } from '../http/json-body.ts';
import { present } from '../http/present.ts';
import { checkIdle, checkInstantiationState } from '../vnflcm/lcm-operation.ts';
import { healPlan } from '../vnflcm/prepare-heal.ts';
import { checkInstantiate, type PreparedInstantiate, prepareInstantiate } from '../vnflcm/prepare-instantiate.ts';
import { prepareScale } from '../vnflcm/prepare-scale.ts';
import { usablePackage } from '../vnflcm/usable-package.ts';
import { type CommandFacts, stepCommands } from './step-commands.ts';

/** The instance keeps its script's path sealed with its nodes' logins; for people the word will do. */
const SCRIPT = 'script_path';
/** No instance has this id. */
const NIL = '00000000-0000-0000-0000-000000000000';

export const PlanRequest = z.object({ operation: z.enum(OPERATIONS), request: z.unknown() });
export type PlanRequest = z.infer<typeof PlanRequest>;

/**
 * What an operation would do, whom that disturbs, and how it could be undone: the same checks and the same planner as the
 * operation, and nothing is stored.
 */
export async function planAnswer(
  context: ApiContext,
  instance: VnfInstanceRow,
  asked: PlanRequest,
): Promise<Record<string, unknown>> {
  const planned = await planOf(context, instance, asked);
  const nodes = (await listClusterNodes(context.db, instance.id)).map(existingNode);
  return answerOf(context, planned, { operation: asked.operation, vnfInstanceId: instance.id, nodes });
}

export const VnfdPlanRequest = PlanRequest.extend({ operation: z.literal('INSTANTIATE'), vnfdId: z.string() });
export type VnfdPlanRequest = z.infer<typeof VnfdPlanRequest>;

/** The same for an instance that nobody has created yet. @throws VnflowError VNFD_NOT_USABLE */
export async function vnfdPlanAnswer(
  context: ApiContext,
  tenant: string,
  { vnfdId, operation, request }: VnfdPlanRequest,
): Promise<Record<string, unknown>> {
  const { id: package_id } = await usablePackage(context, tenant, vnfdId);
  const notThere = { id: NIL, tenant, vnfd_id: vnfdId, package_id };
  const body = parseMember(InstantiateVnfRequest, request, ['request']);
  const planned = planOfInstantiate(await checkInstantiate(context, notThere, body));
  return answerOf(context, planned, { operation, vnfInstanceId: '{vnfInstanceId}', nodes: [] });
}

interface Asked {
  readonly operation: PlanRequest['operation'];
  readonly vnfInstanceId: string;
  readonly nodes: readonly ExistingNode[];
}

async function answerOf(
  context: ApiContext,
  { plan, rollback, scriptPath }: Planned,
  { operation, vnfInstanceId, nodes }: Asked,
): Promise<Record<string, unknown>> {
  const secondsOf = await expectedDurations(context.db);
  const expected = (step: PlanStep) => step.seconds ?? secondsOf(step.kind);
  const critical = criticalPath(plan, expected);
  const view = stepView({ expected, nodes, facts: { vnfInstanceId, scriptPath } });
  return {
    operation,
    steps: plan.steps.map(view),
    criticalPathSeconds: critical.seconds,
    criticalPath: critical.steps.map(({ id }) => id),
    expectedSeconds: critical.seconds,
    disruption: disruptionOf(plan, nodes),
    rollback: { supported: plan.rollbackSupported, steps: (rollback?.steps ?? []).map(view) },
  };
}

function existingNode({ slot, role, node_name, nic_address }: ClusterNode): ExistingNode {
  return { slot, role, label: `${node_name} (${nic_address})` };
}

interface StepContext {
  readonly expected: (step: PlanStep) => number;
  readonly nodes: readonly ExistingNode[];
  readonly facts: CommandFacts;
}

function stepView({ expected, nodes, facts }: StepContext): (step: PlanStep) => Record<string, unknown> {
  const labels = new Map(nodes.map(({ slot, label }) => [slot, label]));
  return (step) => {
    return {
      ...present({
        id: step.id,
        kind: step.kind,
        summary: stepSummary(step, (slot) => labels.get(slot) ?? slot),
        slot: step.slot,
        slots: step.slots,
      }),
      after: step.after,
      commands: stepCommands(step.kind, facts),
      expectedSeconds: expected(step),
    };
  };
}

interface Planned {
  readonly plan: Plan;
  /** What would undo it. */
  readonly rollback?: Plan;
  readonly scriptPath?: string;
}

function planOfInstantiate({ shape, scriptPath }: PreparedInstantiate): Planned {
  return { plan: planInstantiate(shape), rollback: planInstantiateRollback(), scriptPath };
}

async function planOf(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, request }: PlanRequest,
): Promise<Planned> {
  switch (operation) {
    case 'INSTANTIATE': {
      const body = parseMember(InstantiateVnfRequest, request, ['request']);
      return planOfInstantiate(await prepareInstantiate(context, instance, body));
    }
    case 'SCALE': {
      const body = parseMember(ScaleVnfRequest, request, ['request']);
      const { plan, facts } = await prepareScale(context, instance, body);
      return {
        plan,
        scriptPath: SCRIPT,
        ...(plan.rollbackSupported ? { rollback: planScaleOutRollback(facts) } : {}),
      };
    }
    case 'HEAL': {
      const body = parseMember(HealVnfRequest, request, ['request']);
      return { plan: await healPlan(context, instance, body), scriptPath: SCRIPT };
    }
    case 'TERMINATE': {
      const body = parseMember(TerminateVnfRequest, request, ['request']);
      await checkIdle(context, instance.id);
      checkInstantiationState(instance, 'INSTANTIATED');
      return { plan: planTerminate(body) };
    }
    default:
      return operation satisfies never;
  }
}
