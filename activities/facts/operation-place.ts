import type { Database } from '../../store/open-store.ts';
import { readOperationFact } from '../../store/operations.ts';
import { operationSpanIds, parseTraceparent, type SpanPlace } from '../../tracing/span-place.ts';
import type { SpanRecorder } from '../../tracing/spans.ts';

/** The span of the request that began an operation. Undefined when the API made no traces then. */
export async function requestPlace(db: Database, vnfLcmOpOccId: string): Promise<SpanPlace | undefined> {
  return parseTraceparent(await readOperationFact(db, vnfLcmOpOccId, 'traceparent'));
}

/** The span of an operation: below its request, or else the first one of a trace that has the id of the operation. */
export async function operationPlace(db: Database, recorder: SpanRecorder, vnfLcmOpOccId: string): Promise<SpanPlace> {
  const request = await requestPlace(db, vnfLcmOpOccId);
  const ids = operationSpanIds(vnfLcmOpOccId);
  return request ? { ...request, spanId: ids.spanId } : { ...ids, isSampled: recorder.isSampled(ids.traceId) };
}
