export const SPAN_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** The values of OTEL_TRACES_SAMPLER that need no service of their own. */
export const SAMPLER_NAMES = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface SamplerChoice {
  readonly name: (typeof SAMPLER_NAMES)[number];
  /** The part of traces that a `…traceidratio` records. */
  readonly ratio: number;
}

/**
 * How spans are chosen and sent. The rest OpenTelemetry's own packages read from the environment: the exporter its
 * OTEL_EXPORTER_OTLP_* (endpoint, headers, certificates, compression, time-out), the resource OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES.
 */
export interface TraceSettings {
  readonly protocol: (typeof SPAN_PROTOCOLS)[number];
  readonly sampler: SamplerChoice;
  readonly batches: {
    /** Milliseconds that a span waits for others. */
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    /** Spans that wait at most; more are lost. */
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}
