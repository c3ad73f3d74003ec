import { expect, it } from 'vitest';
import { readTraceSettings } from './trace-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

it.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'vnfm' },
  { ...endpoint, OTEL_SDK_DISABLED: 'True' },
  { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
])('makes no traces with %o', (environment) => {
  expect(readTraceSettings(environment)).toBeUndefined();
});

it('has the defaults of the specification', () => {
  expect(readTraceSettings(endpoint)).toEqual({
    protocol: 'http/protobuf',
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    batches: {
      scheduledDelayMillis: 5_000,
      exportTimeoutMillis: 30_000,
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
    },
  });
});

it('follows the variables of traces before those of all signals', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  expect(readTraceSettings(environment)).toMatchObject({
    protocol: 'http/json',
    sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
    batches: { scheduledDelayMillis: 100 },
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
])('names %s=%s, which it cannot follow', (name, value) => {
  expect(readTraceSettings({ ...endpoint, [name]: value })).toEqual({
    refused: expect.stringMatching(new RegExp(`^${name}: .`)),
  });
});
