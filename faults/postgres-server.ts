import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort, waitUntil } from './child.ts';
import { type Service, superviseProcess } from './service.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 30_000;

/**
 * Starts a PostgreSQL server in a folder. It runs without fsync, because a kill -9 of its processes loses no data.
 * @throws Error when PostgreSQL is not installed or does not start
 */
export async function startPostgres(directory: string): Promise<{ service: Service; url: string }> {
  const programs = programFolder();
  const home = path.join(directory, 'postgres');
  const log = path.join(directory, 'postgres.log');
  mkdirSync(home, { recursive: true });
  const user = unprivileged();
  if (user) {
    chmodSync(directory, 0o711);
    chownSync(home, user.uid, user.gid);
  }
  const options = { ...user, cwd: '/' };
  const data = path.join(home, 'data');
  const initial = ['-D', data, '-U', 'vnflow', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run(path.join(programs, 'initdb'), initial, options);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=200'];
  const service = superviseProcess('postgres', {
    program: path.join(programs, 'postgres'),
    args: ['-D', data, '-k', home, ...settings.flatMap((setting) => ['-c', setting])],
    log,
    options,
  });
  const server = `postgres://vnflow@127.0.0.1:${port}`;
  if (!(await waitUntil(() => canConnect(`${server}/postgres`), START_LIMIT_MS))) {
    await service.stop();
    throw new Error(`PostgreSQL did not start: see ${log}`);
  }
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query('create database vnflow');
  await client.end();
  return { service, url: `${server}/vnflow` };
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

function programFolder(): string {
  const onPath = (process.env['PATH'] ?? '').split(path.delimiter);
  const debian = list('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`);
  const found = [...onPath, ...debian].find((folder) => list(folder).includes('pg_ctl'));
  if (found === undefined) throw new Error('--shape production needs PostgreSQL: apt-get install postgresql');
  return path.dirname(realpathSync(path.join(found, 'pg_ctl')));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
