import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { presentRecorder, recordSpansWith } from '../tracing/spans.ts';
import type { TraceSettings } from '../tracing/trace-settings.ts';
import type { RefusedTraces } from './trace-settings.ts';

/** A collector that does not answer must not keep a process from ending. */
const FLUSH_MS = 2_000;

export interface RunningTraces {
  /** Sends the spans that wait, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Starts to record spans, when they are wanted. Only then OpenTelemetry is loaded.
 * @param wanted undefined: no spans are recorded
 */
export async function startTraces(
  wanted: TraceSettings | RefusedTraces | undefined,
  { build, log }: { readonly build: string; readonly log: Logger },
): Promise<RunningTraces | undefined> {
  if (wanted === undefined) return undefined;
  if ('refused' in wanted) {
    log.warn({ variable: wanted.refused }, 'no traces: a variable of OpenTelemetry cannot be followed');
    return undefined;
  }
  const { createRecorder } = await import('../tracing/open-telemetry.ts');
  const recorder = await createRecorder(
    wanted,
    { build, host: hostname(), pid: process.pid },
    {
      lost: (reason) => log.warn({ reason }, 'the collector of traces takes no spans; they are lost until it does'),
      found: (spans) => log.info({ spans }, 'the collector of traces takes spans again; some were lost'),
    },
  );
  recordSpansWith(recorder);
  return {
    stop: async () => {
      if (presentRecorder() === recorder) recordSpansWith(undefined);
      const late = new AbortController();
      await Promise.race([
        recorder.stop().catch(() => {}),
        delay(FLUSH_MS, undefined, { signal: late.signal }),
      ]).finally(() => late.abort());
    },
  };
}
