import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Sends warnings and errors of Temporal's SDK to our log. Must be called once per process, before any connection. */
export function installRuntime(log: Logger): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...rest } = meta ?? {};
      const facts = { ...rest, ...(error instanceof Error ? { error: error.message } : {}) };
      if (level === 'ERROR') log.error(facts, message);
      else log.debug(facts, message); // a failed attempt is logged by the step recorder already
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
    },
    shutdownSignals: [],
  });
}
