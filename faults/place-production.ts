import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { familyOf, freePort, pauseFamily, waitUntil } from './child.ts';
import type { Place, PlaceOptions } from './place.ts';
import { startPostgres } from './postgres-server.ts';
import type { Victim } from './scenario.ts';
import { type Service, superviseProcess } from './service.ts';
import { isApiServing, isSimulatorServing, isTemporalServing } from './serving.ts';
import { mountSmallDisk } from './small-disk.ts';
import { temporalCommand } from './temporal-server.ts';

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'] as const;
/** Far more than needed, because the machine may be busy with other work. */
const LIMIT_MS = 240_000;

const SimulatorReady = z.object({
  url: z.url(),
  authUrl: z.url(),
  bastion: z.object({ host: z.string(), port: z.int(), user: z.string() }),
});

/**
 * Starts two APIs, two workers, PostgreSQL, a Temporal server and the simulator. Each process is restarted when it
 * ends.
 */
export async function startProductionPlace({ directory, speed, root, tokenLifetime }: PlaceOptions): Promise<Place> {
  const main = path.join(root, 'cli', 'main.ts');
  mkdirSync(directory, { recursive: true });
  const services: Service[] = [];
  const start = (name: string, [program, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv = {}) => {
    const log = path.join(directory, `${name}.log`);
    const service = superviseProcess(name, { program, args, log, env: { ...process.env, ...env } });
    services.push(service);
    return service;
  };
  const disk = mountSmallDisk(path.join(directory, 'postgres'));
  const stop = async () => {
    for (const service of services.splice(0).reverse()) await service.stop();
    disk?.remove();
  };
  try {
    const postgres = await startPostgres(directory);
    services.push(postgres.service);
    const temporalPort = await freePort();
    const temporalAddress = `127.0.0.1:${temporalPort}`;
    const temporal = start('temporal', await temporalCommand(directory, temporalPort));
    const world = path.join(directory, 'simulator');
    const lifetime = tokenLifetime === undefined ? [] : ['--token-lifetime', `${tokenLifetime}`];
    const simulatorPorts = ['--port', `${await freePort()}`, '--bastion-port', `${await freePort()}`];
    const simulatorService = start('simulator', [
      ...[
        ...NODE,
        path.join(root, 'simulator', 'main.ts'),
        '--directory',
        world,
        '--speed',
        `${speed}`,
        '--hosts',
        '12',
      ],
      ...[...simulatorPorts, ...lifetime],
    ] as [string, ...string[]]);
    const simulator = await simulatorReady(path.join(directory, 'simulator.log'));
    if (!(await waitUntil(() => isTemporalServing(temporalAddress), LIMIT_MS)))
      throw new Error('Temporal did not start');

    const environment = {
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: temporalAddress,
      VNFLOW_MASTER_KEY: randomBytes(32).toString('base64'),
      VNFLOW_KEYSTONE_URL: simulator.authUrl,
      VNFLOW_BASTION: `${simulator.bastion.user}@${simulator.bastion.host}:${simulator.bastion.port}`,
    };
    const data = path.join(directory, 'data');
    const ports = [await freePort(), await freePort()];
    const apiUrls = ports.map((port) => `http://127.0.0.1:${port}`);
    const apis: Service[] = [];
    // the first API creates the tables; the other processes find them
    for (const [index, port] of ports.entries()) {
      apis.push(start(`api-${index}`, [...NODE, main, 'api', '--port', `${port}`, '--data', data], environment));
      if (!(await waitUntil(() => isApiServing(apiUrls[index] ?? ''), LIMIT_MS)))
        throw new Error('the API did not start');
    }
    const workers = [0, 1].map((index) =>
      start(`worker-${index}`, [...NODE, main, 'worker', '--data', data], environment),
    );
    await waitUntil(() => workers.every(({ log }) => readFileSync(log, 'utf8').includes('worker ready')), LIMIT_MS);

    const victims: Partial<Record<Victim, Service | undefined>> = {
      temporal,
      postgres: postgres.service,
      api: apis[0],
      worker: workers[0],
      simulator: simulatorService,
    };
    const killed = new Set<Service>();
    return {
      shape: 'production',
      apiUrls,
      simulatorUrl: simulator.url,
      authUrl: simulator.authUrl,
      temporalAddress,
      databaseUrl: postgres.url,
      victims: ['temporal', 'worker', 'api', 'postgres', 'simulator', 'none'],
      directory,
      kill: (victim) => {
        const service = victims[victim];
        if (!service) return;
        service.kill();
        killed.add(service);
      },
      pause: (victim) => pauseFamily(victims[victim]?.pid() ?? 0),
      fillDisk: disk?.fill,
      processes: () => services.flatMap((service) => familyOf(service.pid())),
      openFiles: () => [
        ...services.map(({ log }) => log),
        ...['temporal.db', 'temporal.db-wal'].map((name) => path.join(directory, name)),
      ],
      bastion: `${simulator.bastion.host}:${simulator.bastion.port}`,
      recover: async (downMs) => {
        await Promise.all([...killed].map((service) => service.startAfter(downMs)));
        killed.clear();
        const isBack = async () =>
          (await isTemporalServing(temporalAddress)) &&
          (await isSimulatorServing(simulator.url)) &&
          (await Promise.all(apiUrls.map(isApiServing))).every(Boolean);
        if (!(await waitUntil(isBack, LIMIT_MS))) throw new Error(`not everything came back: see ${directory}`);
        return services.flatMap((service) => service.takeEnds());
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function simulatorReady(log: string): Promise<z.infer<typeof SimulatorReady>> {
  const line = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .find((text) => text.startsWith('{"ready":true'));
  if (!(await waitUntil(() => line() !== undefined, LIMIT_MS)))
    throw new Error(`the simulator did not start: see ${log}`);
  return SimulatorReady.parse(JSON.parse(line() ?? ''));
}
