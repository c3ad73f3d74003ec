import { AsyncLocalStorage } from 'node:async_hooks';
import { outcomeCodeOf } from '../domain/outcome-code.ts';
import type { SpanPlace } from './span-place.ts';

/**
 * The spans of this process, for rooms that know nothing of OpenTelemetry. Without a recorder each function only runs
 * its work: a process whose environment names no collector loads no module of OpenTelemetry (start-tracing.ts).
 */

/** Few and short values. Never a secret, and no text of another system: who sees traces may see all projects. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanFacts {
  /** Few different names: no ids (opentelemetry.io/docs/specs/otel/trace/api/#span). */
  readonly name: string;
  /** `server` answers a request of another process, `client` waits for one. Default: neither. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: SpanAttributes;
}

/** What the work of a span may add to it. */
export interface SpanNotes {
  add(attributes: SpanAttributes): void;
  /** Marks the span as failed, although its work returns. */
  fail(code: string): void;
}

/** A span that has begun. */
export interface OpenSpan extends SpanNotes {
  readonly place: SpanPlace;
  rename(name: string): void;
  /** @param code why it failed */
  end(code?: string): void;
}

/** A span of the past, with ids that were known before. */
export interface PastSpan extends SpanFacts {
  readonly ids: Pick<SpanPlace, 'traceId' | 'spanId'>;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly events: readonly { readonly name: string; readonly at: Date }[];
  /** Why it failed. */
  readonly code?: string | undefined;
}

/** Records spans. None of its functions throws or waits. */
export interface SpanRecorder {
  /** @param parent undefined: a new trace begins */
  start(facts: SpanFacts, parent: SpanPlace | undefined): OpenSpan;
  /** @param parent undefined: the span is the first one of its trace */
  recordPast(span: PastSpan, parent: SpanPlace | undefined): void;
  /** Would a trace with this id, which begins here, be recorded? */
  isSampled(traceId: string): boolean;
}

const NO_NOTES: SpanNotes = { add: () => {}, fail: () => {} };

const present = new AsyncLocalStorage<OpenSpan | undefined>();
let recorder: SpanRecorder | undefined;

/** Chooses what records the spans of this process. @param next undefined: nothing does */
export function recordSpansWith(next: SpanRecorder | undefined): void {
  recorder = next;
}

/** What records the spans of this process. Undefined: nothing does. */
export function presentRecorder(): SpanRecorder | undefined {
  return recorder;
}

/** The span whose work runs. Undefined outside of any. */
export function presentSpan(): OpenSpan | undefined {
  return present.getStore();
}

/** Runs work as the work of a span. The caller ends the span. */
export function runInSpan<T>(span: OpenSpan, work: () => T): T {
  return present.run(span, work);
}

/**
 * Runs work as a part of the present span. Outside of any span it only runs it: what vnflow does by itself, such as a
 * health check, makes no traces.
 */
export function traceCall<T>(facts: SpanFacts, work: (span: SpanNotes) => Promise<T>): Promise<T> {
  const span = present.getStore();
  return span ? traceBelow(span.place, facts, work) : work(NO_NOTES);
}

/** Runs work as a part of a span that may be of another process, or still to come. */
export function traceBelow<T>(parent: SpanPlace, facts: SpanFacts, work: (span: SpanNotes) => Promise<T>): Promise<T> {
  return recorder ? runUntilEnd(recorder.start(facts, parent), work) : work(NO_NOTES);
}

async function runUntilEnd<T>(span: OpenSpan, work: (span: SpanNotes) => Promise<T>): Promise<T> {
  try {
    const result = await present.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(outcomeCodeOf(error));
    throw error;
  }
}

/** Runs work whose parts make no spans: looks that are repeated until something has happened. */
export function withoutSpans<T>(work: () => Promise<T>): Promise<T> {
  return present.run(undefined, work);
}
