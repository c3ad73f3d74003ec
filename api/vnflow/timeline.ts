import { criticalPath, type PlanStep } from '../../domain/operation/plan.ts';
import { STEP_KINDS, type StepKind } from '../../domain/steps/index.ts';
import { type ClusterNode, listClusterNodes } from '../../store/cluster-nodes.ts';
import { listSteps } from '../../store/operation-steps.ts';
import type { OperationStepRow, VnfLcmOpOccRow } from '../../store/operations.ts';
import { expectedDurations } from '../../store/step-durations.ts';
import type { ApiContext } from '../dependencies.ts';
import { present } from '../http/present.ts';

/** An operation with its steps, as the CLI and the console draw it. */
export async function timelineOf({ db }: ApiContext, row: VnfLcmOpOccRow): Promise<Record<string, unknown>> {
  const [steps, nodes, secondsOf] = await Promise.all([
    listSteps(db, row.id),
    listClusterNodes(db, row.vnf_instance_id),
    expectedDurations(db),
  ]);
  const expected = (kind: string) => (isStepKind(kind) ? secondsOf(kind) : undefined);
  return present({
    id: row.id,
    vnfInstanceId: row.vnf_instance_id,
    operation: row.operation,
    operationState: row.operation_state,
    cancelMode: row.cancel_mode,
    startTime: row.start_time.toISOString(),
    stateEnteredTime: row.state_entered_time.toISOString(),
    error: row.error,
    expectedSeconds: steps.length === 0 ? undefined : expectedSeconds(steps, expected),
    steps: steps.map((step) => stepView(step, { nodes, expectedSeconds: expected(step.kind) })),
  });
}

/** A step as the timeline shows it. */
export function stepView(
  step: OperationStepRow,
  { nodes, expectedSeconds }: { nodes: readonly ClusterNode[]; expectedSeconds: number | undefined },
): Record<string, unknown> {
  const node = nodes.find(({ slot }) => slot === step.slot);
  return present({
    id: step.step_id,
    kind: step.kind,
    summary: step.summary,
    slot: step.slot,
    node: node && { name: node.node_name, address: node.nic_address },
    after: step.after,
    state: step.state,
    attempt: step.attempt,
    startedAt: step.started_at?.toISOString(),
    endedAt: step.ended_at?.toISOString(),
    expectedSeconds,
    logTail: step.log_tail,
    note: step.note,
    error: step.error,
  });
}

/** The critical path of what is expected. */
function expectedSeconds(rows: readonly OperationStepRow[], expected: (kind: string) => number | undefined): number {
  const steps = rows.flatMap(({ step_id, kind, after }): PlanStep[] =>
    isStepKind(kind) ? [{ id: step_id, kind, after }] : [],
  );
  const known = new Set(steps.map(({ id }) => id));
  const whole = steps.map((step) => ({ ...step, after: step.after.filter((id) => known.has(id)) }));
  return criticalPath({ steps: whole }, ({ kind }) => expected(kind) ?? 0).seconds;
}

/** A row may come from another release. */
function isStepKind(kind: string): kind is StepKind {
  return Object.hasOwn(STEP_KINDS, kind);
}
