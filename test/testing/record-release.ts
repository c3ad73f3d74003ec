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
 * `docs/development.md` says when. `-- --schemas` keeps dumps only.
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

/**
 * Dumps a store of each schema that has no dump yet: the newest dump, migrated by one number after the other.
 * @param server URL of a PostgreSQL
 */
async function keepSchemas(build: string, server: string): Promise<void> {
  const dumps = folder('schemas');
  const newest = readdirSync(dumps).sort().at(-1);
  if (newest === undefined) throw new Error('test/schemas has no dump to begin with');
  const name = `vnflow_release_${process.pid}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  await runSql(server, `create database ${name}`);
  try {
    await runSql(url, readFileSync(path.join(dumps, newest), 'utf8'));
    for (let schema = Number.parseInt(newest, 10) + 1; schema <= MIGRATIONS.length; schema++) {
      const db = createStore({ kind: 'postgres', url });
      await migrateStore(db, MIGRATIONS.slice(0, schema)).finally(() => db.destroy());
      const file = `${String(schema).padStart(4, '0')}.sql`;
      const title = `-- A store with schema ${schema}, as build ${build} made it from ${newest}. pg_dump wrote this.`;
      writeFileSync(path.join(dumps, file), `${[title, ...dump(url)].join('\n')}\n`);
      say(`test/schemas: ${file}. Add rows for what its migration adds`);
    }
  } finally {
    await runSql(server, `drop database ${name}`);
  }
}

/** @returns the lines of a dump without comments and settings of the session */
function dump(url: string): string[] {
  const options = ['--column-inserts', '--no-owner', '--no-privileges', '--no-comments'];
  return execFileSync('pg_dump', [...options, url], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '' && !/^(--|\\|SET |SELECT pg_catalog.set_config)/.test(line));
}

async function runSql(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** @param onlySchemas keeps no workflows and histories: a migration has come, and no release */
async function recordRelease(onlySchemas: boolean): Promise<void> {
  const build = readBuildId();
  const server = process.env['DATABASE_URL'];
  if (!onlySchemas) {
    await keepWorkflows(build);
    keepHistories(build);
  }
  if (server === undefined) say('test/schemas: no dump, because DATABASE_URL is not set');
  else await keepSchemas(build, server);
}

if (import.meta.main) await recordRelease(process.argv.includes('--schemas'));
