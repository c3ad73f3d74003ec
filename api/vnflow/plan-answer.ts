import { z } from 'zod';
import { disruptionOf, drainedSlots, type ExistingNode } from '../../domain/disruption.ts';
import { nodeLabel } from '../../domain/node-name.ts';
import type { LookRequest } from '../../domain/operation/activity-contract.ts';
import { criticalPath, type PlanStep } from '../../domain/operation/plan.ts';
import { LCM_OPERATIONS, OPERATIONS, type Operation } from '../../domain/operations.ts';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';
import { InstantiateVnfRequest } from '../../domain/sol-requests.ts';
import { otherSlotsOf, stepSummary } from '../../domain/steps/index.ts';
import type { ClusterLook } from '../../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import type { OperationRequest, Planned } from '../../planning/make-plan.ts';
import type { Templates } from '../../planning/templates.ts';
import { type ClusterNode, listClusterNodes } from '../../store/cluster-nodes.ts';
import { expectedDurations } from '../../store/step-durations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { present } from '../http/present.ts';
import { planNewInstance, planOperation } from '../vnflcm/plan-operation.ts';
import { usablePackage } from '../vnflcm/usable-package.ts';
import { type CommandFacts, stepCommands } from './step-commands.ts';

/** The instance keeps its script's path sealed with its nodes' logins; people see this word instead. */
const SCRIPT = 'script_path';
/** An id that no instance has. */
const NIL = '00000000-0000-0000-0000-000000000000';

export const PlanRequest = z.object({
  operation: z.enum(OPERATIONS),
  request: z.unknown(),
  /**
   * True when the plan asks the cluster which members vote and which pods would leave. Otherwise every node counts as
   * alive.
   */
  live: z.boolean().optional(),
  /** True when the answer contains the Heat templates of the stack. */
  template: z.boolean().optional(),
});
export type PlanRequest = z.infer<typeof PlanRequest>;

/**
 * What an operation would do, which nodes and pods it disturbs, and how it could be undone. It uses the checks and the
 * planner of the operation, and stores nothing.
 */
export async function planAnswer(
  context: ApiContext,
  instance: VnfInstanceRow,
  asked: PlanRequest,
): Promise<Record<string, unknown>> {
  const request = readRequest(asked);
  const assumed = await planOperation(context, instance, request);
  const nodes = (await listClusterNodes(context.db, instance.id)).map(existingNode);
  const question = asked.live ? lookOf(assumed, asked, nodes) : undefined;
  const seen = question && (await seenOf(context, { vnfInstanceId: instance.id, ...question }));
  const survey = seen?.look?.survey ?? seen?.look?.contents;
  const planned =
    survey && LCM_OPERATIONS[asked.operation].surveysControlPlane
      ? await planOperation(context, instance, request, survey)
      : assumed;
  return answerOf(context, planned, {
    operation: asked.operation,
    vnfInstanceId: instance.id,
    nodes,
    withTemplate: asked.template,
    ...(seen ? { seen } : {}),
  });
}

/** The look that a plan needs. Undefined when it needs none. */
function lookOf(
  { plan, added, asks }: Planned,
  { operation }: PlanRequest,
  nodes: readonly ExistingNode[],
): Omit<LookRequest, 'vnfInstanceId'> | undefined {
  const drained = drainedSlots(plan, nodes);
  if (added) return { drained, added };
  if (asks?.about === 'contents') return { drained, contentsOf: asks.slot };
  return LCM_OPERATIONS[operation].surveysControlPlane || drained.length > 0 ? { drained } : undefined;
}

/** The answer of the cluster, or why there is none: a plan is made in either case. */
interface Seen {
  readonly look?: ClusterLook;
  readonly problem?: string;
}

async function seenOf({ engine }: ApiContext, request: LookRequest): Promise<Seen> {
  try {
    return { look: await engine.look(request) };
  } catch (error) {
    if (error instanceof VnflowError) return { problem: error.message };
    throw error;
  }
}

/** @param drains does the plan evict anything? A restore, as it turns out only then, does not */
function observedOf({ look, problem }: Seen, drains: boolean): Record<string, unknown> {
  const members = look?.survey?.members.map(({ name, peerUrls, started, learner, healthy }) => ({
    name: name === '' ? peerUrls[0] : name,
    healthy: started && healthy,
    voter: !learner,
  }));
  const controlPlane = look?.survey?.nodes.map(({ name, verdict, seen }) => ({ name, verdict, seen }));
  const { pods, podsProblem } = drains ? (look ?? {}) : {};
  const missing = look?.capacityProblems ?? [];
  return present({
    etcd: members,
    controlPlane,
    pods,
    podsProblem,
    problem,
    contents: look?.contents,
    capacity: missing.length > 0 ? missing : undefined,
  });
}

export const VnfdPlanRequest = PlanRequest.extend({ operation: z.literal('INSTANTIATE'), vnfdId: z.string() });
export type VnfdPlanRequest = z.infer<typeof VnfdPlanRequest>;

/** The plan of an instantiate for an instance that does not exist yet. @throws VnflowError VNFD_NOT_USABLE */
export async function vnfdPlanAnswer(
  context: ApiContext,
  tenant: string,
  { vnfdId, operation, request, template }: VnfdPlanRequest,
): Promise<Record<string, unknown>> {
  const { id: packageId } = await usablePackage(context, tenant, vnfdId);
  const notThere = { id: NIL, tenant, vnfdId, packageId };
  const body = parseMember(InstantiateVnfRequest, request, ['request']);
  const planned = await planNewInstance(context, notThere, body);
  return answerOf(context, planned, {
    operation,
    vnfInstanceId: '{vnfInstanceId}',
    nodes: [],
    withTemplate: template,
  });
}

interface Asked {
  readonly operation: PlanRequest['operation'];
  readonly vnfInstanceId: string;
  readonly nodes: readonly ExistingNode[];
  readonly withTemplate: boolean | undefined;
  readonly seen?: Seen;
}

async function answerOf(
  context: ApiContext,
  { plan, rollback, vnf, templates }: Planned,
  { operation, vnfInstanceId, nodes, seen, withTemplate }: Asked,
): Promise<Record<string, unknown>> {
  const isNew = LCM_OPERATIONS[operation].factsFrom === 'request';
  const script = vnf?.installScript;
  const installScript = script && { ...script, ...(isNew || script.isOwn ? {} : { path: SCRIPT }) };
  const secondsOf = await expectedDurations(context.db, context.speed);
  const expected = (step: PlanStep) => (step.kind === 'gracePeriod' ? step.seconds : secondsOf(step.kind));
  const critical = criticalPath(plan, expected);
  const view = stepView({ expected, nodes, facts: { vnfInstanceId, installScript } });
  return {
    operation,
    ...(installScript ? { installScript } : {}),
    ...(withTemplate && templates ? { template: templateView(templates) } : {}),
    steps: plan.steps.map(view),
    criticalPathSeconds: critical.seconds,
    criticalPath: critical.steps.map(({ id }) => id),
    expectedSeconds: critical.seconds,
    disruption: disruptionOf(plan, nodes),
    ...(seen ? { observed: observedOf(seen, drainedSlots(plan, nodes).length > 0) } : {}),
    rollback: { supported: plan.rollbackSupported, steps: (rollback?.steps ?? []).map(view) },
  };
}

/** The templates before StandardUserData makes a resource for each server of them. */
function templateView({ isGenerated, topHot, files }: Templates): Record<string, unknown> {
  return { generated: isGenerated, name: topHot.name, top: topHot.text, nested: files };
}

function existingNode({ slot, role, nodeName, nicAddress }: ClusterNode): ExistingNode {
  return { slot, role, label: nodeLabel(nodeName, nicAddress) };
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
        slots: otherSlotsOf(step),
        backupId: step.kind === 'restoreControlPlane' ? step.backupId : undefined,
      }),
      after: step.after,
      commands: stepCommands(step.kind, facts),
      expectedSeconds: expected(step),
    };
  };
}

/** @throws VnflowError BAD_REQUEST naming the member of `request` that does not fit */
function readRequest<O extends Operation>({
  operation,
  request,
}: {
  operation: O;
  request?: unknown;
}): OperationRequest<O> {
  return { operation, request: parseMember(LCM_OPERATIONS[operation].request, request, ['request']) };
}
