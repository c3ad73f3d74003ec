import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** Tells of the collector. Each of both is called once, until the other one is. */
export interface ExportNews {
  /** @param reason why it took no spans */
  lost(reason: string): void;
  /** @param spans how many were lost meanwhile */
  found(spans: number): void;
}

/**
 * Watches an exporter: an unreachable collector is told of once, not with every batch.
 * @returns an exporter whose batches never fail
 */
export function watchExporter(exporter: SpanExporter, news: ExportNews): SpanExporter {
  let lost = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code === TAKEN) {
          if (lost > 0) news.found(lost);
          lost = 0;
        } else {
          if (lost === 0) news.lost(error?.message ?? 'no reason given');
          lost += spans.length;
        }
        done({ code: TAKEN });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** `ExportResultCode.SUCCESS` of @opentelemetry/core. */
const TAKEN = 0;
