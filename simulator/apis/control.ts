import express, { type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import type { Ledger } from '../kernel/ledger.ts';
import type { NodeFaults } from '../nodes.ts';
import { fingerprint } from '../world/cloud/fingerprint.ts';
import { Refusal } from '../world/cloud/refusal.ts';
import type { Cloud } from './cloud.ts';

interface Parts {
  readonly cloud: Cloud;
  readonly ledger: Ledger;
  /** The faults of nodes. Undefined when the cloud has no nodes that can fail. */
  readonly nodeFaults: NodeFaults | undefined;
  /** Returns the answer of GET /nodes. */
  readonly inspect: () => object;
  /** Reads a file of a machine. Undefined when there is no such machine or file. */
  readonly readFile: (server: string, path: string) => string | undefined;
  /** Returns the answer of GET /health. */
  readonly identity: () => Readonly<Record<string, unknown>>;
}

const powerSchema = z.strictObject({ action: z.enum(['start', 'stop', 'reboot', 'crash']) });

/** The simulator's own API under `/_simulator`: health, ledger, faults, power, fingerprint. */
export function mountControl(app: Express, { cloud, ledger, nodeFaults, identity, inspect, readFile }: Parts): void {
  const router = express.Router();
  router.use(refuseStrangers);
  router.use(express.json({ limit: '1mb', type: () => true }));
  router.get('/health', (_req, res) => void res.json(identity()));
  router.get('/ledger', (req, res) => void res.json({ entries: ledger.entries(Number(req.query['after'] ?? 0) || 0) }));
  router.get('/nodes', (_req, res) => void res.json(inspect()));
  router.get('/servers/:server/file', (req, res) => {
    const text = readFile(req.params.server, String(req.query['path'] ?? ''));
    if (text === undefined) res.status(404).end();
    else res.type('text/plain').send(text);
  });
  router.get('/fingerprint', (_req, res) => void res.json(fingerprint(cloud.state)));
  router.get(
    '/faults',
    (_req, res) => void res.json({ faults: [...cloud.faults.list(), ...(nodeFaults?.list() ?? [])] }),
  );
  router.post('/faults', (req, res) => {
    // A fault of a node has a `kind`, a fault of a service has a `service`.
    const isOfNode =
      nodeFaults !== undefined && typeof req.body === 'object' && req.body !== null && 'kind' in req.body;
    res.status(201).json(isOfNode ? nodeFaults.order(req.body) : cloud.faults.add(req.body));
  });
  router.delete('/faults', (_req, res) => {
    cloud.faults.remove();
    nodeFaults?.remove();
    res.status(204).end();
  });
  router.delete('/faults/:id', (req, res) => {
    const isKnown = cloud.faults.remove(req.params.id) || (nodeFaults?.remove(req.params.id) ?? false);
    res.status(isKnown ? 204 : 404).end();
  });
  router.post('/servers/:server/power', (req, res) => {
    const { action } = powerSchema.parse(req.body);
    const wanted = req.params.server;
    const server =
      cloud.state.servers[wanted] ?? Object.values(cloud.state.servers).find(({ name }) => name === wanted);
    if (!server)
      throw new Refusal(404, 'NotFound', `There is no server ${wanted}. GET /_simulator/fingerprint lists them.`);
    cloud.power(server.id, action);
    res.status(202).json({ id: server.id, name: server.name, status: server.status });
  });
  router.use(
    (_req, res) => void res.status(404).json({ error: 'Unknown: see docs of the simulator for /_simulator/….' }),
  );
  router.use((error: unknown, _req: Request, res: Response, _next: () => void) => {
    const status = error instanceof Refusal ? error.status : 400;
    res.status(status).json({ error: error instanceof z.ZodError ? z.prettifyError(error) : String(error) });
  });
  app.use('/_simulator', router);
}

/** Refuses requests from web pages (they send Origin) and from names that resolve to loopback (another Host). */
function refuseStrangers(req: Request, res: Response, next: () => void): void {
  const host = (req.headers.host ?? '').replace(/:\d+$/, '');
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(host) && req.headers.origin === undefined;
  if (isLocal) next();
  else res.status(403).json({ error: 'Only for programs on this machine.' });
}
