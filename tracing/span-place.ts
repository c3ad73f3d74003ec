/** The place of a span in a trace, in the terms of W3C Trace Context (www.w3.org/TR/trace-context). */
export interface SpanPlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** False: the trace was not chosen to be recorded, and none of its later spans is. */
  readonly isSampled: boolean;
}

const SAMPLED = 1;
const TRACEPARENT =
  /^(?!ff)(?<version>[\da-f]{2})-(?!0{32})(?<traceId>[\da-f]{32})-(?!0{16})(?<spanId>[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-.*)?$/;

/**
 * Reads the header `traceparent`.
 * @returns undefined when there is none, or when it cannot be read: then the trace begins anew (W3C Trace Context 3.2.3)
 */
export function parseTraceparent(text: string | undefined): SpanPlace | undefined {
  const { version, traceId, spanId, flags, more } = TRACEPARENT.exec(text ?? '')?.groups ?? {};
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined; // only later versions may have more members
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** Writes a place as the header `traceparent`. */
export function formatTraceparent({ traceId, spanId, isSampled }: SpanPlace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * The ids of the span of an operation follow from the id of the operation. So every worker process knows the parent of
 * its spans at once, although that span is only recorded when the operation ends.
 * @param vnfLcmOpOccId a random UUID
 */
export function operationSpanIds(vnfLcmOpOccId: string): Pick<SpanPlace, 'traceId' | 'spanId'> {
  const digits = vnfLcmOpOccId.replaceAll('-', '').toLowerCase();
  return { traceId: digits, spanId: digits.slice(16) };
}
