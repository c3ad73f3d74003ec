import { isProblemCode } from '../../domain/problems.ts';
import { listOperationStates } from '../../store/operations.ts';
import { operationSpanIds } from '../../tracing/span-place.ts';
import { presentRecorder } from '../../tracing/spans.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readOperation } from '../facts/operation-facts.ts';
import { requestPlace } from '../facts/operation-place.ts';

/**
 * Records an operation that has ended as a span, from its acceptance to its end. To be called once. The operation does
 * not depend on it: an error is logged.
 */
export async function traceOperation(context: ActivityContext): Promise<void> {
  const { deps, input } = context;
  try {
    await recordOperation(context);
  } catch (error) {
    deps.log.warn({ error, vnfLcmOpOccId: input.vnfLcmOpOccId }, 'the span of an operation was not recorded');
  }
}

async function recordOperation(context: ActivityContext): Promise<void> {
  const recorder = presentRecorder();
  if (!recorder) return;
  const { db } = context.deps;
  const row = await readOperation(context);
  const [parent, states] = await Promise.all([requestPlace(db, row.id), listOperationStates(db, row.id)]);
  const ids = operationSpanIds(row.id);
  const code = row.error?.['code'];
  recorder.recordPast(
    {
      name: row.operation,
      ids: parent ? { ...ids, traceId: parent.traceId } : ids,
      startedAt: row.startTime,
      endedAt: row.stateEnteredTime,
      events: states.map(({ state, at }) => ({ name: state, at })),
      ...(row.operationState === 'COMPLETED'
        ? {}
        : { code: typeof code === 'string' && isProblemCode(code) ? code : row.operationState }),
      attributes: {
        'vnflow.operation.id': row.id,
        'vnflow.operation.kind': row.operation,
        'vnflow.operation.state': row.operationState,
        'vnflow.instance.id': row.vnfInstanceId,
        'vnflow.project': row.tenant,
      },
    },
    parent,
  );
}
