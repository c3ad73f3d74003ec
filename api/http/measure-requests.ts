import type { RequestHandler } from 'express';
import { measureHttpRequest } from '../../metrics/instruments.ts';

/** Measures each request under the pattern of its route. Paths that no route has share one series. */
export const measureRequests: RequestHandler = (request, response, next) => {
  const since = performance.now();
  response.once('close', () => {
    const { route } = response.locals;
    measureHttpRequest({
      method: request.method,
      route: typeof route === 'string' ? route : 'other',
      status: response.statusCode,
      seconds: (performance.now() - since) / 1000,
    });
  });
  next();
};
