import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type HealthRoutes, healthRoutes } from '../api/health/health-routes.ts';

export interface HealthServer {
  /** For example http://127.0.0.1:9891. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves `/livez`, `/readyz` and `/metrics` of a process on an address of their own. A worker has no other address, and
 * an API that everybody reaches must not show its metrics to everybody.
 * @param listen port 0 means any port
 * @throws Error when the port is taken
 */
export async function startHealthServer(
  routes: HealthRoutes,
  listen: { readonly host: string; readonly port: number },
): Promise<HealthServer> {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(routes));
  const server = createServer(app);
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
