import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepExcerpt } from './excerpt.ts';
import { type LifeScenario, lifeScenarioOf, type Shape } from './life-scenario.ts';
import { htmlReport } from './report-html.ts';
import { type Campaign, lineOf, textReport, violationLines } from './report-text.ts';
import { type RunReport, runLife } from './run-life.ts';
import { takeTurns } from './start-in-turn.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { cpuSeconds } from './world-view.ts';

export interface CampaignOptions {
  readonly seeds: readonly number[];
  /** Undefined: the seed decides. */
  readonly shape?: Shape | undefined;
  /** How many places run at once. Most of a run is waiting. */
  readonly lanes: number;
  readonly speed: number;
  readonly settleMs: number;
  /** The checkout whose vnflow runs. */
  readonly root: string;
  /** Folder of report.txt and report.html. Undefined: no report. */
  readonly reportTo?: string | undefined;
  readonly say: (line: string) => void;
}

const REST_MS = 240_000;
/** A place becomes slower as its databases grow. */
const RUNS_OF_A_PLACE = 60;

/**
 * Runs many lives in a few places, each of which goes on to the next run. A place in which an invariant was violated is
 * left, because the violated state would stay.
 */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const since = Date.now();
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-faults-'));
  chmodSync(folder, 0o711); // the user of PostgreSQL needs access to its folder below
  const reports: RunReport[] = [];
  /** Seeds of runs that could not be ended: the logs of their places stay. */
  const unended: number[] = [];
  const isClean = () => unended.length === 0 && reports.every(({ violations }) => violations.length === 0);
  const queues = queuesOf(options);
  const running = stopOnSignal();
  const startInTurn = takeTurns();
  const lane = async (shape: Shape, index: number): Promise<void> => {
    // a place in which a run could not be ended is left, too
    while (queues[shape].length > 0) {
      const directory = path.join(folder, `${shape}-${index}-${queues[shape][0]?.seed}`);
      const ground = await startInTurn(shape, { ...options, directory });
      running.add(ground);
      try {
        for (let runs = 0; runs < RUNS_OF_A_PLACE; runs++) {
          const scenario = queues[shape].shift();
          if (!scenario) break;
          const report = await runLife(ground, scenario, { settleMs: options.settleMs, restMs: REST_MS }).catch(
            (error: unknown) => {
              unended.push(scenario.seed);
              options.say(`seed ${scenario.seed}  ${shape}  the run could not be ended: ${error}; logs: ${directory}`);
              return undefined;
            },
          );
          if (!report) break;
          reports.push(report);
          options.say(lineOf(report));
          if (report.violations.length === 0) continue;
          for (const line of violationLines(report)) options.say(line);
          options.say(`    kept: ${await keepExcerpt(ground.witnesses, report, folder)}`);
          break;
        }
      } finally {
        running.delete(ground);
        await ground.stop();
      }
      if (isClean()) rmSync(directory, { recursive: true, force: true });
    }
  };
  await Promise.all(
    lanesOf(queues, options.lanes).map(({ shape, index }) =>
      lane(shape, index).catch((error: unknown) => options.say(`a place of the shape ${shape} is given up: ${error}`)),
    ),
  );
  running.release();
  const campaign = { reports, cpuSeconds: cpuSeconds([]), seconds: (Date.now() - since) / 1000 };
  if (isClean()) rmSync(folder, { recursive: true, force: true });
  if (options.reportTo !== undefined) {
    mkdirSync(options.reportTo, { recursive: true });
    writeFileSync(path.join(options.reportTo, 'report.txt'), textReport(campaign));
    writeFileSync(path.join(options.reportTo, 'report.html'), htmlReport(campaign));
  }
  return campaign;
}

type Queues = Record<Shape, LifeScenario[]>;

function queuesOf({ seeds, shape }: CampaignOptions): Queues {
  const scenarios = seeds.map((seed) => lifeScenarioOf(seed, { shape }));
  const of = (wanted: Shape) => scenarios.filter((scenario) => scenario.shape === wanted);
  return { up: of('up'), production: of('production') };
}

/** Production gets a third of the lanes: its runs are fewer, and last longer. */
function lanesOf(queues: Queues, lanes: number): { shape: Shape; index: number }[] {
  const production =
    queues.production.length === 0 ? 0 : queues.up.length === 0 ? lanes : Math.max(1, Math.round(lanes / 3));
  const up = queues.up.length === 0 ? 0 : Math.max(1, lanes - production);
  const make = (shape: Shape, count: number) =>
    Array.from({ length: Math.min(count, queues[shape].length) }, (_, index) => ({ shape, index }));
  return [...make('up', up), ...make('production', production)];
}
