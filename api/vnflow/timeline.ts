import { criticalPath } from '../../domain/operation/plan.ts';
import { isStepKind } from '../../domain/steps/index.ts';
import { type ClusterNode, listClusterNodes } from '../../store/cluster-nodes.ts';
import { listSteps, type OperationStepRow } from '../../store/operation-steps.ts';
import type { VnfLcmOpOccRow } from '../../store/operations.ts';
import { expectedDurations } from '../../store/step-durations.ts';
import type { ApiContext } from '../dependencies.ts';
import { present } from '../http/present.ts';

/** An operation with its steps, as the CLI and the console draw it. */
export async function timelineOf({ db, speed }: ApiContext, row: VnfLcmOpOccRow): Promise<Record<string, unknown>> {
  const [steps, nodes, secondsOf] = await Promise.all([
    listSteps(db, row.id),
    listClusterNodes(db, row.vnfInstanceId),
    expectedDurations(db, speed),
  ]);
  const expected = (kind: string) => (isStepKind(kind) ? secondsOf(kind) : undefined);
  return present({
    id: row.id,
    vnfInstanceId: row.vnfInstanceId,
    operation: row.operation,
    operationState: row.operationState,
    startedBy: row.startedBy,
    cancelMode: row.cancelMode,
    startTime: row.startTime.toISOString(),
    stateEnteredTime: row.stateEnteredTime.toISOString(),
    error: row.error,
    build: row.build,
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
    id: step.stepId,
    kind: step.kind,
    summary: step.summary,
    slot: step.slot,
    node: node && { name: node.nodeName, address: node.nicAddress },
    after: step.after,
    state: step.state,
    attempt: step.attempt,
    startedAt: step.startedAt?.toISOString(),
    endedAt: step.endedAt?.toISOString(),
    expectedSeconds,
    progress: step.state === 'RUNNING' ? step.progress : undefined,
    logTail: step.logTail,
    note: step.note,
    build: step.build,
    error: step.error,
  });
}

/** The critical path of what is expected. */
function expectedSeconds(rows: readonly OperationStepRow[], expected: (kind: string) => number | undefined): number {
  const steps = rows.flatMap(({ stepId, kind, after }) => (isStepKind(kind) ? [{ id: stepId, kind, after }] : []));
  const known = new Set(steps.map(({ id }) => id));
  const whole = steps.map((step) => ({ ...step, after: step.after.filter((id) => known.has(id)) }));
  return criticalPath({ steps: whole }, ({ kind }) => expected(kind) ?? 0).seconds;
}
