import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectCloud } from './cloud.ts';
import { viewEngine } from './engine-view.ts';
import type { Witnesses } from './evidence.ts';
import { keepExcerpt } from './excerpt.ts';
import type { Place } from './place.ts';
import { startProductionPlace } from './place-production.ts';
import { startUpPlace } from './place-up.ts';
import { packSmallSample } from './requests.ts';
import { type RoundReport, runRound } from './round.ts';
import { KINDS, type Kind, scenarioOf, VICTIMS, type Victim } from './scenario.ts';
import { connectVnfm } from './vnfm.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export const ROUNDS_USAGE = `bursts of equal operations with one kill in the middle:
  --rounds N        how many (5: one of each kind); with --seed N: begins there (1)
  --kind ${KINDS.join('|')}   (each in turn)
  --kill ${VICTIMS.join('|')}   (temporal)
  --operations N    of a burst (20)
`;

const SHAPES = { up: startUpPlace, production: startProductionPlace } as const;

/** The options of the command line, as text. */
export interface RoundValues {
  readonly rounds?: string | undefined;
  readonly seed?: string | undefined;
  readonly shape?: string | undefined;
  readonly kind?: string | undefined;
  readonly kill: string;
  readonly operations: string;
  readonly speed: string;
  readonly settle: string;
}

interface Running extends Witnesses {
  readonly vnfdId: string;
}

/** The options that nobody gives: bursts of twenty operations, Temporal is the victim. */
export const ROUND_DEFAULTS = { kill: 'temporal', operations: '20', speed: '400', settle: '180' } as const;

/** Runs all rounds. @returns exit code: 1 when an invariant was violated */
export async function runRounds(values: RoundValues): Promise<number> {
  const shape = oneOf(Object.keys(SHAPES) as (keyof typeof SHAPES)[], values.shape ?? 'up');
  const victim = oneOf(VICTIMS, values.kill);
  const kind = values.kind === undefined ? undefined : oneOf(KINDS, values.kind);
  const first = Number(values.seed ?? 1);
  const rounds = Number(values.rounds ?? (values.seed === undefined ? KINDS.length : 1));
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-faults-'));
  chmodSync(folder, 0o711); // the user of PostgreSQL needs access to its folder below
  const reports: RoundReport[] = [];
  let running: Running | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void (running ? stop(running) : Promise.resolve()).finally(() => process.exit(130)));
  try {
    for (let seed = first; seed < first + rounds; seed++) {
      running ??= await start(shape, path.join(folder, `place-${seed}`), { speed: Number(values.speed), victim });
      const scenario = scenarioOf(seed, {
        kind,
        victim,
        operations: Number(values.operations),
        isSlow: shape === 'production',
      });
      const { vnfdId } = running;
      const report = await runRound(running, scenario, { vnfdId, settleMs: Number(values.settle) * 1000 });
      reports.push(report);
      say(lineOf(report, shape));
      if (report.violations.length === 0) continue;
      for (const { invariant, instance, text } of report.violations) say(`    ${invariant}: ${instance} ${text}`);
      say(`    kept: ${await keepExcerpt(running, report, folder)}`);
      // a violated state would stay: the next round begins in a new place
      await stop(running);
      running = undefined;
    }
  } finally {
    if (running) await stop(running);
  }
  return summary(reports, folder);
}

async function start(
  shape: keyof typeof SHAPES,
  directory: string,
  { speed, victim }: { speed: number; victim: Victim },
): Promise<Running> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const place = await SHAPES[shape]({ directory, speed, root: ROOT });
  try {
    if (!place.victims.includes(victim)) throw new Error(`--kill in the shape ${shape}: ${place.victims.join(', ')}`);
    const cloud = await connectCloud(place.authUrl, place.simulatorUrl);
    const vnfm = connectVnfm(place.apiUrls, cloud.token);
    const vnfdId = await vnfm.onboard(await packSmallSample(directory));
    return { place, cloud, vnfm, vnfdId, engine: await viewEngine(place.temporalAddress) };
  } catch (error) {
    await place.stop();
    throw error;
  }
}

async function stop({ engine, place }: { engine: Witnesses['engine']; place: Place }): Promise<void> {
  await engine.close();
  await place.stop();
}

function lineOf({ scenario, counts, helped, violations, seconds }: RoundReport, shape: string): string {
  const { seed, kind, victim, killAfter, parts } = scenario;
  return [
    `seed ${seed}  ${shape}  ${parts.length} × ${kind}  ${victim} killed ${killAfter.ms} ms after ${killAfter.answers} answers`,
    `${counts.accepted} accepted, ${counts.refused} refused, ${counts.unclear} unclear`,
    ...(helped.length > 0 ? [`helped: ${helped.join(', ')}`] : []),
    `${violations.length} violations  ${seconds.toFixed(0)} s`,
  ].join('  ');
}

function summary(reports: readonly RoundReport[], folder: string): number {
  const violated = reports.filter(({ violations }) => violations.length > 0);
  const helped = reports.filter((report) => report.helped.length > 0).length;
  const operations = reports.reduce((sum, { scenario }) => sum + scenario.parts.length, 0);
  say(`${reports.length} rounds, ${operations} operations, ${helped} rounds with help, ${violated.length} violated`);
  if (violated.length === 0) rmSync(folder, { recursive: true });
  else say(`to repeat: npm run faults -- --seed ${violated[0]?.scenario.seed}; logs in ${folder}`);
  return violated.length === 0 ? 0 : 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function oneOf<T extends Kind | Victim | keyof typeof SHAPES>(allowed: readonly T[], text: string): T {
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new Error(`${text}: one of ${allowed.join(', ')}`);
  return found;
}
