import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import axios from 'axios';
import { connectionAccess, type TemporalAccess } from '../engine/temporal-access.ts';
import { DEFAULT_DURABILITY, type Durability } from '../store/durability.ts';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { freePort } from './free-port.ts';

/** Wanted ports of 127.0.0.1. In place of a port that is in use, another one is chosen. */
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
  /** Directory of its database and its log. Undefined: the database is in memory, and nothing is logged. */
  readonly directory?: string;
  readonly ports?: TemporalPorts;
  /** True: fail when the gRPC port is in use, because clients have its address. Undefined: choose another port then. */
  readonly keepAddress?: boolean;
  /** Durability of its database. */
  readonly durability?: Durability;
  /** Called with the process right after its launch, long before it serves. */
  readonly launched?: (pid: number) => void;
  /** True: without the Web UI, which tests do not need. */
  readonly headless?: boolean;
  /** Dynamic configuration of Temporal: JSON by key. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface TemporalServer {
  readonly pid: number;
  /** Address of gRPC, host:port. */
  readonly address: string;
  /** URL of the Web UI. Undefined when headless. */
  readonly uiUrl?: string;
  /** Ends the server and waits until its process is gone. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const MOST_STARTS = 3;
const STOP_LIMIT_MS = 8_000;
const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';

/**
 * Starts a Temporal development server on loopback: one process with SQLite, the namespace `default` and our search
 * attributes. It has its own process group, so that Ctrl-C in a terminal does not end it before the worker was drained.
 * @throws Error with the end of its log when it ends, or does not serve within a minute
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  for (let start = 1; ; start++) {
    const started = await startOnce(options);
    if ('address' in started) return started;
    if (start === MOST_STARTS) throw started.problem;
  }
}

/**
 * Launches one server.
 * @returns the problem when it ended by itself: as a rule another process has taken a port meanwhile
 */
async function startOnce(options: TemporalServerOptions): Promise<TemporalServer | { readonly problem: Error }> {
  const { directory, headless = false } = options;
  const wanted = options.ports ?? TEMPORAL_PORTS;
  const ports = await freePorts(wanted);
  if (options.keepAddress && ports.grpc !== wanted.grpc)
    throw new Error(`Port ${wanted.grpc} of 127.0.0.1, which the Temporal server needs again, is taken.`);
  const log = directory === undefined ? undefined : path.join(directory, 'temporal.log');
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const httpHost = `${randomUUID()}.invalid`;
  const child = launch(await commandLine({ ...options, ports, httpHost }), options.binary, log);
  if (child.pid !== undefined) options.launched?.(child.pid);
  const address = `127.0.0.1:${ports.grpc}`;
  const problem = await serving(child, { address, http: ports.http, httpHost }, log);
  if (problem) return { problem };
  return {
    pid: child.pid ?? 0,
    address,
    ...(headless ? {} : { uiUrl: `http://127.0.0.1:${ports.ui}` }),
    stop: () => stopChild(child),
  };
}

/** Does a Temporal server serve this namespace at this address (host:port)? */
export async function isTemporalServing(
  address: string,
  timeoutMs = 2_000,
  { namespace = 'default', access = {} }: { readonly namespace?: string; readonly access?: TemporalAccess } = {},
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  const options = { address, connectTimeout: timeoutMs, ...connectionAccess(access) };
  const connection = await Connection.connect(options).catch(() => undefined);
  if (connection === undefined) return false;
  try {
    const { status } = await connection.withDeadline(deadline, () =>
      connection.healthService.check({ service: SERVICE }),
    );
    if (Number(status) !== 1) return false;
    // the server reports healthy before the namespace exists
    await connection.withDeadline(deadline, () => connection.workflowService.describeNamespace({ namespace }));
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

/**
 * With a write-ahead log, SQLite flushes at checkpoints only (`normal`) or at each commit (`full`):
 * sqlite.org/pragma.html.
 */
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { process: 'normal', power: 'full' };

async function commandLine(
  options: TemporalServerOptions & { ports: TemporalPorts; httpHost: string },
): Promise<string[]> {
  const { binary, directory, ports, httpHost, headless, settings = {}, durability = DEFAULT_DURABILITY } = options;
  const webUi = headless
    ? ['--headless']
    : ['--ui-ip', '127.0.0.1', '--ui-port', `${ports.ui}`, ...(await withoutNews(binary))];
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
    ...webUi,
    ...database,
    ...Object.entries({ ...closedHttpApi(httpHost), ...settings }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...Object.values(searchAttribute).flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
    ...['--log-level', directory === undefined ? 'never' : 'warn', '--color', 'never'],
  ];
}

/**
 * The program opens a port for Temporal's HTTP API in any case. Any web page that a browser of this machine shows could
 * terminate workflows there: a POST of plain text needs no permission of the server. The API answers 403 to each Host
 * header but this one, which is different at each start.
 */
function closedHttpApi(httpHost: string): Record<string, string> {
  return { 'frontend.httpAllowedHosts': JSON.stringify([httpHost]) };
}

interface ServerFace {
  /** Address of gRPC, host:port. */
  readonly address: string;
  /** Port of the HTTP API. */
  readonly http: number;
  /** The Host header that the HTTP API of this process allows, and no other server. */
  readonly httpHost: string;
}

/**
 * Is it our process that answers? Another Temporal server may have taken the gRPC port since we looked. Its tasks would
 * be carried out with our store.
 */
async function isOurs({ http, httpHost }: ServerFace): Promise<boolean> {
  const options = { headers: { Host: httpHost }, timeout: 2_000, proxy: false, maxRedirects: 0 } as const;
  return axios.get(`http://127.0.0.1:${http}/api/v1/system-info`, options).then(
    () => true,
    () => false,
  );
}

/** The option that keeps the Web UI from fetching news; older versions of the program do not have it. */
async function withoutNews(binary: string): Promise<string[]> {
  const help = await promisify(execFile)(binary, ['server', 'start-dev', '--help']);
  return help.stdout.includes('--ui-disable-news-fetch') ? ['--ui-disable-news-fetch'] : [];
}

function launch(args: readonly string[], binary: string, log: string | undefined): ChildProcess {
  const output = log === undefined ? 'ignore' : openSync(log, 'a', 0o600);
  try {
    // the user's settings file of Temporal (~/.config/temporalio) must not change the server that we start
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] };
    return spawn(binary, args, { detached: true, stdio: ['ignore', output, output], env });
  } finally {
    if (typeof output === 'number') closeSync(output);
  }
}

async function serving(child: ChildProcess, face: ServerFace, log: string | undefined): Promise<Error | undefined> {
  const until = Date.now() + START_LIMIT_MS;
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
    if ((await isOurs(face)) && (await isTemporalServing(face.address))) return undefined;
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
