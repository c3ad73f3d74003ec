import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectRealCloud, readRealEnvironment } from './real-cloud.ts';
import { type Checked, type Flavour, leadRealLife } from './real-life.ts';
import { startRealVnflow } from './real-vnflow.ts';

const FLAVOURS: readonly Flavour[] = ['simple', 'complex'];
const REPORT = fileURLToPath(new URL('../../.vnflow/real-report.md', import.meta.url));

/** `npm run test:real`: the whole life of both flavours against the OpenStack of the environment. */
process.exitCode = await runReal(process.argv.slice(2));

/** @param wanted flavours; empty: both. @returns exit code: 1 when something was not true */
async function runReal(wanted: readonly string[]): Promise<number> {
  const env = readRealEnvironment(process.env);
  const cloud = connectRealCloud(env);
  const vnflow = await startRealVnflow(env, cloud);
  process.once('SIGINT', () => void vnflow.stop().finally(() => process.exit(130)));
  const done: Checked[] = [];
  try {
    const vnfdId = await vnflow.onboard();
    for (const flavour of FLAVOURS.filter((one) => wanted.length === 0 || wanted.includes(one)))
      done.push(...(await leadRealLife({ env, cloud, vnflow }, { flavour, vnfdId, say })));
  } finally {
    await vnflow.stop();
  }
  const failed = done.filter(({ problem }) => problem !== undefined).length;
  writeFileSync(REPORT, report(env.OS_AUTH_URL, done));
  say(`${done.length - failed} passed, ${failed} failed; see ${REPORT}; logs in ${vnflow.data}`);
  return failed === 0 && done.length > 0 ? 0 : 1;
}

function report(authUrl: string, done: readonly Checked[]): string {
  const chapters = done.flatMap(({ flavour, chapter, sentences, problem, seconds }) => [
    `## ${flavour}: ${chapter} (${seconds.toFixed(0)} s): ${problem === undefined ? 'ok' : 'FAILED'}`,
    '',
    ...sentences.map((sentence) => `- ${sentence}`),
    ...(problem === undefined ? [] : [`- **FAILED**: ${problem}`]),
    '',
  ]);
  return [`# vnflow against ${authUrl}, ${new Date().toISOString()}`, '', ...chapters].join('\n');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
