import path from 'node:path';
import type { Command } from 'commander';
import { installLastResort } from '../last-resort.ts';
import { CliFailure } from '../vnfm/failure.ts';
import { dataOption, portOption } from './options.ts';
import { runToItsEnd } from './run-to-its-end.ts';
import { onStopRequest } from './until-stopped.ts';

const PORT = 9890;

interface ApiOptions {
  readonly data: string;
  readonly host: string;
  readonly port?: number;
}

/** Adds commands that run one part in a process, as in docker-compose.yml. Settings come from the environment. */
export function addServeCommands(program: Command): void {
  program
    .command('api')
    .description('run only the API; its settings are DATABASE_URL, TEMPORAL_ADDRESS, VNFLOW_KEYSTONE_URL and others')
    .option('--host <address>', 'address on which the API listens', '127.0.0.1')
    .addOption(portOption())
    .addOption(dataOption())
    .action(({ data, host, port }: ApiOptions) => serve(data, { api: { host, port: port ?? PORT } }));
  program
    .command('worker')
    .description('run only a worker; any number of workers may run')
    .addOption(dataOption())
    .action(({ data }: { data: string }) =>
      serve(data, { worker: { bundleCache: path.join(path.resolve(data), 'bundles') } }),
    );
}

type Part = { readonly api: { host: string; port: number } } | { readonly worker: { bundleCache: string } };

async function serve(data: string, part: Part): Promise<void> {
  const stop = onStopRequest();
  const [{ pino }, { readConfiguration }, { freePort }, { installRuntime }, { startVnflow }] = await Promise.all([
    import('pino'),
    import('../../worker/configuration.ts'),
    import('../../worker/free-port.ts'),
    import('../../worker/runtime.ts'),
    import('../../worker/start-vnflow.ts'),
  ]);
  const log = pino();
  const configuration = readConfiguration(process.env, path.resolve(data));
  const { temporalAddress, store } = configuration;
  if (temporalAddress === undefined)
    throw new CliFailure('TEMPORAL_ADDRESS is not set: host:port of a Temporal server.');
  if (store.kind === 'embedded') {
    throw new CliFailure('DATABASE_URL is not set: API and worker share a PostgreSQL. `vnflow up` does without one.');
  }
  installLastResort();
  const sdkMetrics = 'worker' in part ? `127.0.0.1:${await freePort(0)}` : undefined;
  installRuntime(log, sdkMetrics);
  const shown = sdkMetrics === undefined ? {} : { sdkMetrics };
  const running = await startVnflow({ configuration, temporalAddress, log, ...shown, ...part });
  if (running.apiUrl) log.info({ url: running.apiUrl }, 'the API listens; it answers 503 until the store is reached');
  if (running.healthUrl) log.info({ url: running.healthUrl }, '/livez, /readyz and /metrics are served');
  running.ready.then(
    () => log.info('api' in part ? 'API ready' : 'worker ready'),
    () => {}, // `stopped` reports the error
  );
  const code = await runToItsEnd(running, {
    requested: stop.requested,
    stopping: () => log.info('stopping: running steps are handed back'),
    complain: (problem) => log.fatal(problem),
  });
  process.exit(code);
}
