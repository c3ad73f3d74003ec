import { createHash } from 'node:crypto';
import type { Reached, WorkerSettings } from './worker-process.ts';
import { spawnWorker, type WorkerProcess } from './workers.ts';

const LOOK_MS = 10;
/** What else moves gets this long to reach its own point: then one kill serves several steps. */
const GATHER_MS = 1_500;
/** A job on a node is in its midst after this. */
const MIDST_MS = 40;
const MOST_KILLS = 300;

export interface CrashingWorkers {
  /** Borders at which a worker was killed: `{operation} {step} before`, `… after`, `… during`. */
  readonly crossed: ReadonlySet<string>;
  kills(): number;
  stop(): Promise<void>;
}

interface CrashOptions {
  /** Decides on which side of its record a step's border lies: see `points`. */
  readonly seed: number;
  /** Units that were started on nodes so far, of the simulator's ledger. */
  readonly units: () => readonly string[];
  readonly say?: (line: string) => void;
}

/**
 * One worker after another: each is killed with SIGKILL at a border of a step that no worker was killed at yet, and in the midst
 * of each job on a node. So one operation lives through all of them. A spare process stands by, so that no time is lost.
 */
export async function startCrashingWorkers(
  settings: WorkerSettings,
  { seed, units, say = () => {} }: CrashOptions,
): Promise<CrashingWorkers> {
  const crossed = new Set<string>();
  const held = new Set<string>();
  const moving = new Set<string>();
  let heldSince = 0;
  let kills = 0;
  let stopped = false;
  let current: WorkerProcess;

  const spawn = (): WorkerProcess => {
    const worker = spawnWorker(settings, (reached) => {
      if (worker === current) arrive(reached);
    });
    return worker;
  };
  const arrive = ({ token, point, step, activity, attempt }: Reached) => {
    const running = `${step} ${attempt}`;
    const border = borderOf(seed, { step, point, activity });
    if (point === 'before') moving.add(running);
    if (point === 'recorded' || point === 'failed') moving.delete(running);
    if (border === undefined || crossed.has(border) || kills >= MOST_KILLS) {
      current.go(token);
      return;
    }
    moving.delete(running);
    if (held.size === 0) heldSince = Date.now();
    held.add(border);
  };
  const look = () => {
    for (const unit of units()) {
      const border = `${unit} during`;
      if (crossed.has(border) || held.has(border)) continue;
      if (held.size === 0 || heldSince > Date.now() - GATHER_MS + MIDST_MS)
        heldSince = Date.now() - GATHER_MS + MIDST_MS;
      held.add(border);
    }
    if (held.size === 0 || (moving.size > 0 && Date.now() < heldSince + GATHER_MS)) return;
    say(`kill ${kills + 1}: ${[...held].map((border) => border.slice(37)).join(', ')}`);
    current.signal('SIGKILL');
    kills += 1;
    for (const border of held) crossed.add(border);
    held.clear();
    moving.clear();
    current = spare;
    void current.run();
    spare = spawn();
  };

  current = spawn();
  let spare = spawn();
  await current.run();
  const timer = setInterval(look, LOOK_MS);
  return {
    crossed,
    kills: () => kills,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      for (const worker of [current, spare]) {
        worker.signal('SIGKILL');
        await worker.ended;
      }
    },
  };
}

/** A step's record in the store lies at its border too: the seed decides whether the worker dies on this or that side of it. */
function borderOf(
  seed: number,
  { step, point, activity }: Pick<Reached, 'step' | 'point' | 'activity'>,
): string | undefined {
  if (point === 'failed') return undefined;
  const side = point === 'before' || point === 'started' ? 'before' : 'after';
  const [outer, inner] = side === 'before' ? ['before', 'started'] : ['recorded', 'done'];
  const hash = createHash('sha256')
    .update(`${seed} ${step.slice(37)} ${side}`)
    .digest();
  const chosen = activity.includes('(local)') || (hash[0] ?? 0) < 128 ? outer : inner;
  return point === chosen ? `${step} ${side}` : undefined;
}
