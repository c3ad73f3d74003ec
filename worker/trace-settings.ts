import { z } from 'zod';
import { SAMPLER_NAMES, SPAN_PROTOCOLS, type TraceSettings } from '../tracing/trace-settings.ts';
import { optionalVariable } from './optional-variable.ts';

const protocol = optionalVariable(z.enum(SPAN_PROTOCOLS));
const count = optionalVariable(z.coerce.number().int().min(1).max(10_000_000));

const Variables = z.object({
  OTEL_TRACES_EXPORTER: optionalVariable(z.enum(['otlp', 'none'])),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalVariable(z.url({ protocol: /^https?$/ })),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalVariable(z.url({ protocol: /^https?$/ })),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_SAMPLER: optionalVariable(z.enum(SAMPLER_NAMES)),
  OTEL_TRACES_SAMPLER_ARG: optionalVariable(z.coerce.number().min(0).max(1)),
  OTEL_BSP_SCHEDULE_DELAY: count,
  OTEL_BSP_EXPORT_TIMEOUT: count,
  OTEL_BSP_MAX_QUEUE_SIZE: count,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count,
});

/** @internal Names of the variables that vnflow or OpenTelemetry's packages read, for the test of the files in deploy/. */
export const TRACE_VARIABLES: readonly string[] = [
  ...Object.keys(Variables.shape),
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
];

/** A variable of OpenTelemetry that vnflow cannot follow. */
export interface RefusedTraces {
  /** Which one, and its allowed values. */
  readonly refused: string;
}

/**
 * Reads from OpenTelemetry's variables whether traces are wanted, and how they are sent. Those variables are often the
 * same for all programs of a site: one that vnflow cannot follow must not keep it from starting.
 * @returns undefined when no endpoint is named, or traces are switched off
 */
export function readTraceSettings(environment: NodeJS.ProcessEnv): TraceSettings | RefusedTraces | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  if ((!all && !own) || disabled?.toLowerCase() === 'true' || exporter === 'none') return undefined;
  const parsed = Variables.safeParse(environment);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { refused: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
  }
  const { data } = parsed; // the defaults are those of OpenTelemetry's specification
  return {
    protocol: data.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? data.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf',
    sampler: { name: data.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on', ratio: data.OTEL_TRACES_SAMPLER_ARG ?? 1 },
    batches: {
      scheduledDelayMillis: data.OTEL_BSP_SCHEDULE_DELAY ?? 5_000,
      exportTimeoutMillis: data.OTEL_BSP_EXPORT_TIMEOUT ?? 30_000,
      maxQueueSize: data.OTEL_BSP_MAX_QUEUE_SIZE ?? 2_048,
      maxExportBatchSize: data.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? 512,
    },
  };
}
