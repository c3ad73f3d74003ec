import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startGround } from '../ground.ts';
import { packageOf } from '../life-requests.ts';
import type { LifeScenario } from '../life-scenario.ts';
import { runLife } from '../run-life.ts';
import { makeBrokenCheckout } from './broken-checkout.ts';
import { BROKEN_ENGINES, type BrokenEngine } from './table.ts';

interface BrokenOptions {
  /** Parts of the names of the engines that are run. Empty: all. */
  readonly only: readonly string[];
  readonly root: string;
  readonly speed: number;
  readonly say: (line: string) => void;
}

/** Short: a broken engine is to be found, and not to be waited for. A good one comes to rest in less. */
const LIMITS = { restMs: 90_000, settleMs: 15_000 };

/**
 * Runs each broken engine through its story, in a place of its own.
 * @returns the names of those that the checker did not find
 */
export async function runBrokenEngines({ only, root, speed, say }: BrokenOptions): Promise<string[]> {
  const missed: string[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-broken-'));
  chmodSync(folder, 0o711);
  const chosen = BROKEN_ENGINES.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  for (const engine of chosen) {
    const since = Date.now();
    const found = await findDefect(engine, { root, speed, folder }).catch((error: unknown) => [
      `the run failed: ${error}`,
    ]);
    const isCaught = found.some((invariant) => invariant.startsWith(engine.expects));
    if (!isCaught) missed.push(engine.name);
    const verdict = isCaught ? 'caught' : 'MISSED';
    const what = found.length > 0 ? found.join('; ') : 'no violation';
    say(`${verdict}  ${engine.name}: ${what}  (${((Date.now() - since) / 1000).toFixed(0)} s)`);
  }
  rmSync(folder, { recursive: true, force: true });
  say(`${chosen.length} broken engines, ${missed.length} missed`);
  return missed;
}

/** @returns names of the invariants that were violated */
async function findDefect(
  engine: BrokenEngine,
  { root, speed, folder }: { root: string; speed: number; folder: string },
): Promise<string[]> {
  // always the same path: code that was not changed is not compiled again
  const checkout = path.join(folder, 'checkout');
  try {
    makeBrokenCheckout(root, checkout, engine);
    const packages = [packageOf(engine.story.flavour)];
    const start = (name: string) =>
      startGround('up', { directory: path.join(folder, name), speed, root: checkout, packages });
    // two places that start at once may choose the same free port
    const ground = await start('place').catch(() => start('place-2'));
    try {
      const { violations } = await runLife(ground, scenarioOf(engine), LIMITS);
      return [...new Set(violations.map(({ invariant }) => invariant))];
    } finally {
      await ground.stop();
    }
  } finally {
    for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function scenarioOf({ story }: BrokenEngine): LifeScenario {
  const { flavour, orders, disruptions = [], meddling = [], decisions = ['retry', 'retry'] } = story;
  const life = { flavour, orders, version: 'v2', decisions, waitMs: 0 } as const;
  return { seed: 0, shape: 'up', lives: [life], disruptions, meddling };
}
