import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/**
 * Sends warnings and errors of Temporal's SDK to our log. Must be called once per process, before any connection.
 * @param metricsAddress host:port on loopback where the native part of the SDK serves its metrics. Undefined: nowhere
 */
export function installRuntime(log: Logger, metricsAddress?: string): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...rest } = meta ?? {};
      const facts = { ...rest, ...(error instanceof Error ? { error: error.message } : {}) };
      if (level === 'ERROR') log.error(facts, message);
      else log.debug(facts, message); // a failed attempt is logged by the step recorder already
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
      ...(metricsAddress === undefined ? {} : { metrics: { prometheus: { ...UNITS, bindAddress: metricsAddress } } }),
    },
    shutdownSignals: [],
  });
}

/** Names and units as Prometheus recommends them. */
const UNITS = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } as const;
