import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { keepExcerpt } from '../excerpt.ts';
import { packageOf } from '../life-requests.ts';
import type { LifeScenario } from '../life-scenario.ts';
import { runLife } from '../run-life.ts';
import { takeTurns } from '../start-in-turn.ts';
import { type Running, stopOnSignal } from '../stop-on-signal.ts';
import { makeBrokenCheckout } from './broken-checkout.ts';
import { BROKEN_ENGINES, type BrokenEngine } from './table.ts';

interface BrokenOptions {
  /** Parts of the names of the engines that are run. Empty: all. */
  readonly only: readonly string[];
  readonly root: string;
  readonly speed: number;
  /** How many run at once. */
  readonly lanes: number;
  readonly say: (line: string) => void;
}

/** Short: a broken engine is to be found, and not to be waited for. A good one comes to rest in less. */
const LIMITS = { restMs: 60_000, settleMs: 5_000 };
const MOST_PATIENCE = 8;

/**
 * Runs each broken engine through its story, in a place of its own.
 * @returns the names of those that the checker did not find
 */
export async function runBrokenEngines({ only, root, speed, lanes, say }: BrokenOptions): Promise<string[]> {
  const missed: string[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-broken-'));
  chmodSync(folder, 0o711);
  const chosen = BROKEN_ENGINES.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  const queue = [...chosen];
  const startInTurn = takeTurns();
  const running = stopOnSignal();
  const runLane = async (index: number): Promise<void> => {
    const lane = { root, speed, startInTurn, running, folder: path.join(folder, `lane-${index}`), keepIn: folder };
    for (let engine = queue.shift(); engine; engine = queue.shift()) {
      const since = Date.now();
      const { isCaught, words } = await findDefect(engine, lane).catch((error: unknown) => ({
        isCaught: false,
        words: `the run failed: ${error}`,
      }));
      if (!isCaught) missed.push(engine.name);
      const verdict = isCaught ? 'caught' : 'MISSED';
      say(`${verdict}  ${engine.name}: ${words}  (${((Date.now() - since) / 1000).toFixed(0)} s)`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, chosen.length) }, (_, index) => runLane(index)));
  running.release();
  if (missed.length === 0) rmSync(folder, { recursive: true, force: true });
  say(`${chosen.length} broken engines, ${chosen.length - missed.length} caught, ${missed.length} missed`);
  return missed;
}

interface Lane extends Pick<BrokenOptions, 'root' | 'speed'> {
  readonly folder: string;
  /** Where the facts about an engine go that was not found. */
  readonly keepIn: string;
  readonly startInTurn: ReturnType<typeof takeTurns>;
  readonly running: Running;
}

async function findDefect(engine: BrokenEngine, lane: Lane): Promise<{ isCaught: boolean; words: string }> {
  const { root, speed, folder, keepIn, startInTurn, running } = lane;
  // always the same path: code that was not changed is not compiled again
  const checkout = path.join(folder, 'checkout');
  try {
    makeBrokenCheckout(root, checkout, engine);
    const packages = [packageOf(engine.story.flavour)];
    const directory = path.join(folder, 'place');
    const patience = findPatience();
    const ground = await startInTurn('up', { directory, speed: speed / patience, root: checkout, packages });
    running.add(ground);
    try {
      const { restMs, settleMs } = { ...LIMITS, ...engine.story.limits };
      const limits = { restMs: restMs * patience, settleMs: settleMs * patience };
      const report = await runLife(ground, scenarioOf(engine, patience), limits);
      const found = [...new Set(report.violations.map(({ invariant }) => invariant))];
      if (found.some((invariant) => invariant.startsWith(engine.expects)))
        return { isCaught: true, words: found.join('; ') };
      const kept = await keepExcerpt(ground.witnesses, report, path.join(keepIn, engine.name.replaceAll(/\W+/g, '-')));
      return { isCaught: false, words: `${found.join('; ') || 'no violation'}  kept: ${kept}` };
    } finally {
      running.delete(ground);
      await ground.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * How much slower than an idle machine this one is, by its load. Simulated nodes need computing time: when the simulated
 * time runs too fast for a busy machine, their scripts reach their limits, and a good engine looks like a broken one.
 */
function findPatience(): number {
  const [load = 0] = loadavg();
  return Math.min(MOST_PATIENCE, Math.max(1, load / availableParallelism()));
}

/** @param patience how much slower than an idle machine this one is: faults come as much later, and last as much longer */
function scenarioOf({ story }: BrokenEngine, patience: number): LifeScenario {
  const { flavour, orders, disruptions = [], meddling = [], decisions = ['retry', 'retry'] } = story;
  const life = { flavour, orders, version: 'v2', decisions, waitMs: 0 } as const;
  return {
    ...{ seed: 0, shape: 'up', lives: [life] },
    disruptions: disruptions.map((one) => ({ ...one, atMs: one.atMs * patience, forMs: one.forMs * patience })),
    meddling: meddling.map((one) => ({ ...one, atMs: one.atMs * patience })),
  };
}
