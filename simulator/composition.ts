import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type Cloud, createCloud } from './apis/cloud.ts';
import { mountControl } from './apis/control.ts';
import { Clock } from './kernel/clock.ts';
import { GUIDE_LATENCY, type LatencyTable } from './kernel/latency.ts';
import { createLedger, type Ledger } from './kernel/ledger.ts';
import type { Hypervisor, Network } from './kernel/machine.ts';
import { createPersistence, type Persistence } from './kernel/persistence.ts';
import type { NodeFaults } from './nodes.ts';
import type { Faults } from './world/cloud/faults.ts';
import { fingerprint } from './world/cloud/fingerprint.ts';
import type { WorldOptions } from './world/cloud/first-world.ts';
import { SITE_PROXY_URL } from './world/internet/site-proxy.ts';

export interface SimulatorOptions extends WorldOptions {
  /** Port of the OpenStack APIs. Undefined or 0: any free one. */
  readonly port?: number;
  readonly bastionPort?: number;
  /** The directory that keeps the world. Undefined when the world lives in memory only. */
  readonly directory?: string;
  /** Simulated seconds per real second. */
  readonly speed?: number;
  /** The URL of the `nfv-orchestration` entry in the service catalogue. */
  readonly vnfmUrl?: string;
  readonly latency?: LatencyTable;
  /** Wall-clock seconds that a token lives. */
  readonly tokenLifetime?: number;
}

/** The parts that the node half is made from. */
export interface NodesDeps {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  readonly latency: LatencyTable;
  readonly network: Network;
  readonly seed: number;
  readonly bastionPort: number;
}

/** The node half as the cloud needs it. */
export interface NodeHalf {
  readonly hypervisor: Hypervisor;
  readonly faults?: NodeFaults;
  inspect?(): object;
  node?(name: string): { file(path: string): string | undefined } | undefined;
  readonly bastion: { readonly host: string; readonly port: number; readonly user: string };
  stop(): Promise<void>;
}

export interface Simulator<Nodes extends NodeHalf = NodeHalf> {
  /** `http://127.0.0.1:PORT/identity/v3` */
  readonly authUrl: string;
  readonly url: string;
  readonly bastion: NodeHalf['bastion'];
  /** The HTTP proxy that the machines can use, with its login. It exists for them only. */
  readonly proxyUrl: string;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly cloud: Cloud;
  readonly nodes: Nodes;
  readonly faults: Faults;
  /** Everything that exists in the cloud, in a canonical form. */
  fingerprint(): ReturnType<typeof fingerprint>;
  stop(): Promise<void>;
}

/**
 * Starts the cloud and its nodes on loopback.
 * @param makeNodes makes the node half
 * @throws Error when a port is taken
 */
export async function startSimulatorWith<Nodes extends NodeHalf>(
  options: SimulatorOptions,
  makeNodes: (deps: NodesDeps) => Nodes | Promise<Nodes>,
): Promise<Simulator<Nodes>> {
  const { directory, latency = GUIDE_LATENCY, speed = 1 } = options;
  const persistence = createPersistence(directory);
  const { clock, ledger, stopClock } = startClock(persistence, { directory, speed });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const server = createServer(app);
  let nodes: Nodes | undefined;
  const machines = (): Hypervisor => {
    if (!nodes) throw new Error('the nodes are not made yet');
    return nodes.hypervisor;
  };
  let url = '';
  const cloud = createCloud({
    ...options,
    clock,
    latency,
    ledger,
    persistence,
    machines,
    url: () => url,
    vnfmUrl: options.vnfmUrl ?? 'http://127.0.0.1:9890',
    tokenLifetime: options.tokenLifetime ?? 3600,
  });
  nodes = await makeNodes({
    clock,
    ledger,
    persistence,
    latency,
    network: cloud.network,
    seed: cloud.state.seed,
    bastionPort: options.bastionPort ?? 0,
  });
  const { bastion } = nodes;
  const identity = () => ({
    directory: directory ?? null,
    pid: process.pid,
    speed: clock.speed,
    url,
    authUrl: `${url}/identity/v3`,
    bastion,
    proxyUrl: SITE_PROXY_URL,
    elapsed: clock.elapsed(),
    seed: cloud.state.seed,
    hosts: cloud.state.hosts.length,
  });
  mountControl(app, {
    cloud,
    ledger,
    identity,
    nodeFaults: nodes.faults,
    inspect: () => nodes?.inspect?.() ?? {},
    readFile: (server, path) => nodes?.node?.(server)?.file(path),
  });
  cloud.mount(app);
  app.use((_req, res) => void res.status(404).json({ error: 'No such service. The catalog is at /identity/v3.' }));
  await listen(server, options.port ?? 0).catch(async (error: unknown) => {
    await nodes?.stop();
    stopClock();
    throw error;
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cloud.resume();
  const running = nodes;
  return {
    authUrl: `${url}/identity/v3`,
    url,
    bastion,
    proxyUrl: SITE_PROXY_URL,
    clock,
    ledger,
    cloud,
    nodes: running,
    faults: cloud.faults,
    fingerprint: () => fingerprint(cloud.state),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await cloud.stop();
      await running.stop();
      stopClock();
      persistence.flushAll();
    },
  };
}

/** The clock continues from the simulated time at which the simulator stopped. */
function startClock(persistence: Persistence, at: { directory: string | undefined; speed: number }) {
  const part = persistence.part('clock', () => ({ elapsed: 0 }));
  const holder: { clock?: Clock } = {};
  const ledger = createLedger(() => holder.clock?.elapsed() ?? 0, at.directory);
  const clock = new Clock(at.speed, Math.max(part.state.elapsed, ledger.entries().at(-1)?.elapsed ?? 0));
  holder.clock = clock;
  const keep = () => {
    part.state.elapsed = clock.elapsed();
    part.changed();
  };
  const timer = setInterval(keep, 1000).unref();
  return {
    clock,
    ledger,
    stopClock: () => {
      clearInterval(timer);
      keep();
    },
  };
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
