import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { DEFAULT_DURABILITY, type Durability } from '../store/durability.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { freePort } from './free-port.ts';

/** Ports of 127.0.0.1; another one is taken where somebody listens already. */
export interface TemporalPorts {
  readonly grpc: number;
  readonly ui: number;
  readonly http: number;
  readonly metrics: number;
}

export const TEMPORAL_PORTS: TemporalPorts = { grpc: 17233, ui: 18233, http: 17243, metrics: 17253 };
/** @internal exported for tests */
export const ANY_PORTS: TemporalPorts = { grpc: 0, ui: 0, http: 0, metrics: 0 };

export interface TemporalServerOptions {
  /** The `temporal` program. */
  readonly binary: string;
  /** Its database and log lie here; none: in memory, nothing logged. */
  readonly directory?: string;
  readonly ports?: TemporalPorts;
  /** None: another gRPC port is taken where somebody listens already. True: that is a reason to fail; clients know the address. */
  readonly keepAddress?: boolean;
  /** Of its database. */
  readonly durability?: Durability;
  /** Told the process at once, long before it serves. */
  readonly launched?: (pid: number) => void;
  /** A server for tests needs no UI. */
  readonly headless?: boolean;
  /** Temporal's dynamic configuration: key → JSON. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface TemporalServer {
  readonly pid: number;
  /** host:port of gRPC. */
  readonly address: string;
  /** Of the Web UI; none: headless. */
  readonly uiUrl?: string;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const MOST_STARTS = 3;
const STOP_LIMIT_MS = 8_000;
const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';

/**
 * A Temporal development server of our own on loopback: one process, SQLite, namespace `default`, our search attributes.
 * Lives in a process group of its own, so that Ctrl-C in a terminal ends it only after the worker was drained.
 * @throws Error with the end of its log when it ends or does not serve within a minute
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  for (let start = 1; ; start++) {
    const started = await startOnce(options);
    if ('address' in started) return started;
    if (start === MOST_STARTS) throw started.problem;
  }
}

/** @returns the problem of a server that ended by itself: as a rule a port that was free a moment ago is taken */
async function startOnce(options: TemporalServerOptions): Promise<TemporalServer | { readonly problem: Error }> {
  const { directory, headless = false } = options;
  const wanted = options.ports ?? TEMPORAL_PORTS;
  const ports = await freePorts(wanted);
  if (options.keepAddress && ports.grpc !== wanted.grpc)
    throw new Error(`Port ${wanted.grpc} of 127.0.0.1, which the Temporal server needs again, is taken.`);
  const log = directory === undefined ? undefined : path.join(directory, 'temporal.log');
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const child = launch(await commandLine({ ...options, ports }), options.binary, log);
  if (child.pid !== undefined) options.launched?.(child.pid);
  const address = `127.0.0.1:${ports.grpc}`;
  const problem = await serving(child, address, log);
  if (problem) return { problem };
  return {
    pid: child.pid ?? 0,
    address,
    ...(headless ? {} : { uiUrl: `http://127.0.0.1:${ports.ui}` }),
    stop: () => stopChild(child),
  };
}

/** Does a Temporal server serve at this address (host:port)? */
export async function isTemporalServing(address: string, timeoutMs = 2_000): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  const connection = await Connection.connect({ address, connectTimeout: timeoutMs }).catch(() => undefined);
  if (connection === undefined) return false;
  try {
    const { status } = await connection.withDeadline(deadline, () =>
      connection.healthService.check({ service: SERVICE }),
    );
    if (Number(status) !== 1) return false;
    // healthy comes before the namespace is there
    await connection.withDeadline(deadline, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

async function freePorts(wanted: TemporalPorts): Promise<TemporalPorts> {
  const [grpc, ui, http, metrics] = await Promise.all([
    freePort(wanted.grpc),
    freePort(wanted.ui),
    freePort(wanted.http),
    freePort(wanted.metrics),
  ]);
  return { grpc, ui, http, metrics };
}

/** With a write-ahead log SQLite's `normal` flushes at checkpoints only, `full` at each commit (sqlite.org/pragma.html). */
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { process: 'normal', power: 'full' };

async function commandLine(options: TemporalServerOptions & { ports: TemporalPorts }): Promise<string[]> {
  const { binary, directory, ports, headless, settings = {}, durability = DEFAULT_DURABILITY } = options;
  const help = await promisify(execFile)(binary, ['server', 'start-dev', '--help']);
  const quiet = help.stdout.includes('--ui-disable-news-fetch') ? ['--ui-disable-news-fetch'] : [];
  const database =
    directory === undefined
      ? []
      : [
          ...['--db-filename', path.join(directory, 'temporal.db'), '--sqlite-pragma', 'journal_mode=wal'],
          ...['--sqlite-pragma', `synchronous=${SYNCHRONOUS[durability]}`],
        ];
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${ports.grpc}`],
    ...['--http-port', `${ports.http}`, '--metrics-port', `${ports.metrics}`],
    ...(headless ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', `${ports.ui}`, ...quiet]),
    ...database,
    ...Object.entries(settings).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    ...Object.values(searchAttribute).flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
    ...['--log-level', directory === undefined ? 'never' : 'warn', '--color', 'never'],
  ];
}

function launch(args: readonly string[], binary: string, log: string | undefined): ChildProcess {
  const output = log === undefined ? 'ignore' : openSync(log, 'a', 0o600);
  try {
    // its own settings file of the person (~/.config/temporalio) must not change what we start
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] };
    return spawn(binary, args, { detached: true, stdio: ['ignore', output, output], env });
  } finally {
    if (typeof output === 'number') closeSync(output);
  }
}

async function serving(child: ChildProcess, address: string, log: string | undefined): Promise<Error | undefined> {
  const until = Date.now() + START_LIMIT_MS;
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
    if (await isTemporalServing(address)) return undefined;
    const error = await Promise.race([failed, delay(100)]);
    if (error) throw new Error(`The Temporal server cannot be started: ${error.message}`);
  }
  const ended = child.exitCode !== null || child.signalCode !== null;
  await stopChild(child);
  const words = log === undefined ? '' : `: ${readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n')}`;
  const problem = new Error(`The Temporal server did not start${words}`);
  if (ended) return problem;
  throw problem;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await gone;
  clearTimeout(timer);
}
