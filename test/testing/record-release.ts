import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { migrateStore } from '../../store/migrate-store.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { createStore } from '../../store/open-store.ts';
import { readBuildId } from '../../worker/build-id.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { keepBuild } from './releases.ts';
import { BUNDLES } from './temporal.ts';

/**
 * `npm run record-release`: keeps what tests of later builds need of the present one, which becomes a release.
 * `docs/development.md` says when.
 */
const folder = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const say = (text: string) => process.stdout.write(`${text}\n`);

async function keepWorkflows(build: string): Promise<void> {
  const { codePath } = await workflowBundle(BUNDLES);
  say(`test/releases: the workflows of ${build}, ${keepBuild(build, readFileSync(codePath, 'utf8'))} bytes`);
}

function keepHistories(build: string): void {
  const unreleased = path.join(folder('histories'), 'unreleased');
  if (!existsSync(unreleased)) {
    say('test/histories: nothing has been recorded since the release before');
    return;
  }
  renameSync(unreleased, path.join(folder('histories'), build));
  say(`test/histories: unreleased is ${build} now`);
}

/** Migrates the newest dump to the present schema, and dumps it. @param server URL of a PostgreSQL */
async function keepSchema(build: string, server: string): Promise<void> {
  const number = String(MIGRATIONS.length).padStart(4, '0');
  const dumps = folder('schemas');
  const newest = readdirSync(dumps)
    .filter((file) => file < `${number}.sql`)
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error('test/schemas has no dump to begin with');
  const name = `vnflow_release_${process.pid}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  await runSql(server, `create database ${name}`);
  try {
    await runSql(url, readFileSync(path.join(dumps, newest), 'utf8'));
    const db = createStore({ kind: 'postgres', url });
    await migrateStore(db).finally(() => db.destroy());
    const options = ['--column-inserts', '--no-owner', '--no-privileges', '--no-comments'];
    const text = execFileSync('pg_dump', [...options, url], { encoding: 'utf8' });
    const lines = text
      .split('\n')
      .filter((line) => line !== '' && !/^(--|\\|SET |SELECT pg_catalog.set_config)/.test(line));
    const title = `-- A store with schema ${MIGRATIONS.length}, as build ${build} made it from ${newest}. pg_dump wrote this.`;
    writeFileSync(path.join(dumps, `${number}.sql`), `${[title, ...lines].join('\n')}\n`);
    say(`test/schemas: ${number}.sql. Add rows for what its migration adds`);
  } finally {
    await runSql(server, `drop database ${name}`);
  }
}

async function runSql(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function recordRelease(): Promise<void> {
  const build = readBuildId();
  const server = process.env['DATABASE_URL'];
  await keepWorkflows(build);
  keepHistories(build);
  if (server === undefined) say('test/schemas: no dump, because DATABASE_URL is not set');
  else await keepSchema(build, server);
}

if (import.meta.main) await recordRelease();
