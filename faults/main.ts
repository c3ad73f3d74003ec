import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runBrokenEngines } from './broken-engines/run-broken-engines.ts';
import { runCampaign } from './campaign.ts';
import { readKeptSeeds } from './kept-seeds.ts';
import { ROUND_DEFAULTS, ROUNDS_USAGE, runRounds } from './rounds.ts';

const USAGE = `npm run faults -- [options]
  --runs N          lives of VNFs with faults at random moments (10)
  --seed N          repeats one run; with --runs: begins there (1)
  --shape up|production   (the seed decides)
  --lanes N         places that run at once (6; with --broken 2)
  --broken [PART …] runs the engines that are broken on purpose, whose names have PART in them: each must be found
  --kept            repeats the seeds that have found something (faults/kept-seeds.json)
  --report DIR      where report.txt and report.html go (.vnflow/faults, from 10 runs on)
  --speed N         simulated seconds per second (400)
  --settle N        seconds until everything must have come to rest (180)
${ROUNDS_USAGE}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    shape: { type: 'string' },
    lanes: { type: 'string' },
    report: { type: 'string' },
    broken: { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    kind: { type: 'string' },
    kill: { type: 'string', default: ROUND_DEFAULTS.kill },
    operations: { type: 'string', default: ROUND_DEFAULTS.operations },
    speed: { type: 'string', default: ROUND_DEFAULTS.speed },
    settle: { type: 'string', default: ROUND_DEFAULTS.settle },
    help: { type: 'boolean', default: false },
  },
});

const REPORTED_RUNS = 10;
/** Most of a run is waiting, and most of a broken engine is the start of its place. */
const LANES = { runs: 6, broken: 2 } as const;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

if (values.help) process.stdout.write(USAGE);
else if (values.kept) process.exitCode = await runKept();
else if (values.broken) process.exitCode = await runBroken();
else
  process.exitCode =
    values.rounds === undefined && values.kind === undefined ? await runLives(values) : await runRounds(values);

/** @returns exit code: 1 when an invariant was violated */
async function runKept(): Promise<number> {
  let code = 0;
  for (const { kind, seed, shape } of readKeptSeeds()) {
    const repeat = { ...values, seed: `${seed}`, shape, runs: '1' };
    code = Math.max(code, kind === 'round' ? await runRounds(repeat) : await runLives(repeat));
  }
  return code;
}

/** @returns exit code: 1 when the checker did not find one of them */
async function runBroken(): Promise<number> {
  const { speed, lanes } = values;
  const options = { only: positionals, root: ROOT, speed: Number(speed), lanes: Number(lanes ?? LANES.broken), say };
  return (await runBrokenEngines(options)).length === 0 ? 0 : 1;
}

type LifeValues = Pick<typeof values, 'seed' | 'runs' | 'shape' | 'lanes' | 'speed' | 'settle' | 'report'>;

/** @returns exit code: 1 when an invariant was violated */
async function runLives(options: LifeValues): Promise<number> {
  const first = Number(options.seed ?? 1);
  const runs = Number(options.runs ?? (options.seed === undefined ? REPORTED_RUNS : 1));
  const reportTo = options.report ?? (runs >= REPORTED_RUNS ? path.join(ROOT, '.vnflow', 'faults') : undefined);
  const { reports, cpuSeconds, seconds } = await runCampaign({
    seeds: Array.from({ length: runs }, (_, index) => first + index),
    shape: options.shape === 'up' || options.shape === 'production' ? options.shape : undefined,
    lanes: Number(options.lanes ?? LANES.runs),
    speed: Number(options.speed),
    settleMs: Number(options.settle) * 1000,
    root: ROOT,
    reportTo,
    say,
  });
  if (reportTo !== undefined) say(`report: ${path.join(reportTo, 'report.html')}`);
  const violated = reports.filter(({ violations }) => violations.length > 0);
  for (const { scenario } of violated)
    say(`to repeat: npm run faults -- --seed ${scenario.seed} --shape ${scenario.shape}`);
  const each = (cpuSeconds / Math.max(1, reports.length)).toFixed(1);
  const passed = reports.length - violated.length;
  const cores = (cpuSeconds / seconds).toFixed(1);
  say(`${passed} passed, ${runs - passed} failed in ${seconds.toFixed(0)} s`);
  say(`${each} s of CPU time a run; ${cores} of ${availableParallelism()} cores were used`);
  return passed === runs ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
