import { Router } from 'express';
import { METRICS_MEDIA_TYPE, type MetricsSource, writeMetrics } from '../../metrics/write-metrics.ts';
import { vnflowDialect } from '../http/dialect.ts';
import type { ApiAnswer } from '../http/endpoint.ts';
import { refuseMethod, send } from '../http/resources.ts';
import { createReadiness, type HealthCheck } from './checks.ts';
import { showHealth, showReadiness } from './health.ts';

export interface HealthRoutes {
  readonly checks: readonly HealthCheck[];
  /** Undefined: `/metrics` is not served here. */
  readonly metrics?: readonly MetricsSource[] | undefined;
}

/**
 * `/livez`, `/readyz`, `/metrics` and `/vnflow/v1/health`. None needs a token: load balancers, kubelets and Prometheus
 * have none.
 */
export function healthRoutes({ checks, metrics }: HealthRoutes): Router {
  const readiness = createReadiness(checks);
  const router = Router({ caseSensitive: true });
  const answers: Record<string, () => Promise<ApiAnswer>> = {
    // The event loop runs, or there would be no answer. A dead part ends the process.
    '/livez': async () => ({ status: 200, json: { status: 'alive' } }),
    '/readyz': async () => showReadiness(await readiness()),
    '/vnflow/v1/health': async () => showHealth(await readiness()),
    ...(metrics === undefined
      ? {}
      : {
          '/metrics': async () => ({
            status: 200,
            bytes: Buffer.from(await writeMetrics(metrics)),
            headers: { 'Content-Type': METRICS_MEDIA_TYPE },
          }),
        }),
  };
  for (const [path, answer] of Object.entries(answers)) {
    router.all(path, async (request, response) => {
      response.locals['route'] = path;
      if (request.method !== 'GET') throw refuseMethod(request, response, ['GET']);
      await send(response, vnflowDialect, await answer());
    });
  }
  return router;
}
