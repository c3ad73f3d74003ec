import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createSampler } from './sampler.ts';
import type { SpanPlace } from './span-place.ts';
import type { OpenSpan, PastSpan, SpanFacts, SpanRecorder } from './spans.ts';
import type { TraceSettings } from './trace-settings.ts';
import { type ExportNews, watchExporter } from './watch-exporter.ts';

/**
 * The only file that knows OpenTelemetry's SDK, with its neighbours. It is loaded when traces are wanted. Nothing is
 * registered globally, so no library of this process begins to make spans by itself.
 */

/** Attributes are cut off here: names and ids are shorter. */
const LONGEST_VALUE = 500;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

export interface RunningRecorder extends SpanRecorder {
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** What the spans of a process have in common. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace members. */
export interface RecordedProcess {
  readonly build: string;
  readonly host: string;
  readonly pid: number;
}

/**
 * Makes the recorder of a process. Spans wait in memory and are sent in batches; when there are more than the memory
 * for them holds, spans are lost and nothing else.
 * @param news is called when the collector takes no spans, and when it takes them again
 */
export async function createRecorder(
  { protocol, sampler: choice, batches }: TraceSettings,
  { build, host, pid }: RecordedProcess,
  news: ExportNews,
): Promise<RunningRecorder> {
  const own = { 'service.name': 'vnflow', 'service.version': build, 'host.name': host, 'process.pid': pid };
  const ids = createIds();
  const sampler = createSampler(choice);
  const exporter = watchExporter(await createExporter(protocol), news);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
  });
  const tracer = provider.getTracer('vnflow', build);
  const begin = ({ name, kind, attributes = {} }: SpanFacts, parent: SpanPlace | undefined, startTime?: Date) =>
    tracer.startSpan(
      name,
      { ...(kind ? { kind: KINDS[kind] } : {}), attributes, ...(startTime ? { startTime } : {}) },
      contextOf(parent),
    );
  return {
    start: (facts, parent) => openSpan(begin(facts, parent)),
    recordPast: (past, parent) => {
      const span = ids.using(past.ids, () => begin(past, parent, past.startedAt));
      for (const { name, at } of past.events) span.addEvent(name, at);
      if (past.code !== undefined) markFailed(span, past.code);
      span.end(past.endedAt);
    },
    // a span that does not end is not sent
    isSampled: (traceId) =>
      isSampled(ids.using({ traceId, spanId: traceId.slice(16) }, () => begin({ name: '' }, undefined))),
    stop: () => provider.shutdown(),
  };
}

async function createExporter(protocol: TraceSettings['protocol']): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

interface Ids extends IdGenerator {
  /** Calls `begin` so that the span that it begins gets these ids. */
  using<T>(ids: PastSpan['ids'], begin: () => T): T;
}

function createIds(): Ids {
  const random = new RandomIdGenerator();
  let given: PastSpan['ids'] | undefined;
  return {
    generateTraceId: () => given?.traceId ?? random.generateTraceId(),
    generateSpanId: () => given?.spanId ?? random.generateSpanId(),
    using: (ids, begin) => {
      given = ids;
      try {
        return begin();
      } finally {
        given = undefined;
      }
    },
  };
}

function contextOf(parent: SpanPlace | undefined) {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  const traceFlags = parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function openSpan(span: Span): OpenSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    place: { traceId, spanId, isSampled: isSampled(span) },
    add: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    fail: (code) => markFailed(span, code),
    end: (code) => {
      if (code !== undefined) markFailed(span, code);
      span.end();
    },
  };
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** `error.type` is the name of OpenTelemetry's conventions for it. */
function markFailed(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}
