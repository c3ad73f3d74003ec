import { collectDefaultMetrics } from 'prom-client';
import { REGISTRY } from './instruments.ts';

/** Media type of the text format (prometheus.io/docs/instrumenting/exposition_formats). */
export const METRICS_MEDIA_TYPE = REGISTRY.contentType;

/** Values of the process itself: memory, CPU, event loop. Must be called once per process. */
export function measureProcess(): void {
  if (REGISTRY.getSingleMetric('process_cpu_seconds_total') === undefined)
    collectDefaultMetrics({ register: REGISTRY });
}

/** Writes further families of metrics as text, for example those of Temporal's SDK. */
export type MetricsSource = () => Promise<string>;

/**
 * Everything that this process measures, in Prometheus' text format. A source that fails is left out: the other
 * metrics must not go with it.
 */
export async function writeMetrics(sources: readonly MetricsSource[]): Promise<string> {
  const texts = await Promise.all([REGISTRY.metrics(), ...sources.map((source) => source().catch(() => ''))]);
  return texts.map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
}
