import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createRequestAudit } from './audit/audit-requests.ts';
import { createApi } from './create-api.ts';
import { type ApiDependencies, apiContext } from './dependencies.ts';
import { followTlsFiles, readTlsFiles, type TlsFiles } from './http/tls-files.ts';
import { createPackageUploads } from './vnfpkgm/package-uploads.ts';

export interface RunningApi {
  /** The address of the API, for example https://127.0.0.1:9890. */
  readonly url: string;
  readonly port: number;
  /** Lets requests end for a moment, then closes. */
  stop(): Promise<void>;
}

export interface ApiListen {
  readonly deps: ApiDependencies;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Undefined: HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** Milliseconds between two looks at the files. Undefined in production. */
  readonly tlsLookEveryMs?: number;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Is it an address that only this machine reaches? */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** The longest time of a request: a large package over a slow line. */
const LONGEST_REQUEST_MS = 3_600_000;
/**
 * Clients and proxies keep idle connections open for up to a minute. If the API closed them earlier (Node.js: after
 * 5 s), a request could meet the close and fail with ECONNRESET.
 */
const IDLE_CONNECTION_MS = 75_000;
/** Requests under way may end within this time; long polls are cut off. */
const STOP_PATIENCE_MS = 1_000;

/**
 * Starts the API.
 * @throws Error when it would run without authentication on an address that others reach, the port is taken, or its
 * certificate cannot be used
 */
export async function startApi({ deps, host, port, tls, tlsLookEveryMs }: ApiListen): Promise<RunningApi> {
  if (!deps.validateToken && !isLoopback(host)) {
    throw new Error(`Without authentication the API listens on loopback only, not on ${host}.`);
  }
  const context = apiContext(deps);
  const uploads = createPackageUploads(context);
  const audit = createRequestAudit(context);
  const app = createApi(context, { uploads, audit, ...(isLoopback(host) ? { localOnly: true } : {}) });
  const { server, unfollow } = await serverFor(app, { tls, log: deps.log, everyMs: tlsLookEveryMs });
  server.requestTimeout = LONGEST_REQUEST_MS;
  server.keepAliveTimeout = IDLE_CONNECTION_MS;
  server.listen(port, host);
  await once(server, 'listening');
  uploads.start();
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${address.port}`,
    port: address.port,
    stop: async () => {
      unfollow();
      const closed = once(server, 'close');
      server.close();
      const impatient = setTimeout(() => server.closeAllConnections(), STOP_PATIENCE_MS);
      await Promise.all([closed, uploads.stop()]);
      clearTimeout(impatient);
      await audit.flush();
    },
  };
}

type RequestHandler = ReturnType<typeof createApi>;

/** Makes the server: HTTPS with a certificate, which it exchanges when its files change; else HTTP. */
async function serverFor(
  app: RequestHandler,
  { tls: files, log, everyMs }: { tls: TlsFiles | undefined; log: ApiDependencies['log']; everyMs: number | undefined },
): Promise<{ server: Server; unfollow: () => void }> {
  if (files === undefined) return { server: createServer(app), unfollow: () => {} };
  const present = await readTlsFiles(files);
  const server = createTlsServer(present, app);
  return { server, unfollow: followTlsFiles(server, { files, present, log, everyMs }) };
}
