import { createHash } from 'node:crypto';
import type { Reached, WorkerSettings } from './worker-process.ts';
import { spawnWorker, type WorkerProcess } from './workers.ts';

const LOOK_MS = 10;
/** Other running steps get this time to reach their borders, so that one kill covers several steps. */
const GATHER_MS = 1_500;
/** After this time a job on a node is in its middle. */
const MIDST_MS = 40;
const MOST_BLOWS = 300;

export interface CrashingWorkers {
  /** Borders at which a worker was struck: `{operation} {step} before`, `… after`, `… during`. */
  readonly struck: ReadonlySet<string>;
  blows(): number;
  /** Continues the workers that were stopped. */
  wake(): void;
  stop(): Promise<void>;
}

interface CrashOptions {
  /** SIGKILL, or SIGSTOP: with SIGSTOP the worker seems dead, and continues when `wake` is called. */
  readonly by: 'SIGKILL' | 'SIGSTOP';
  /** How many workers run at once. */
  readonly atOnce?: number;
  /** Selects the borders that count. Default: all. @param border as in `struck`, without the operation */
  readonly where?: (border: string) => boolean;
  /** Decides on which side of its record a step's border lies. */
  readonly seed: number;
  /** Jobs that were started on nodes so far, by the simulator's ledger: `{operation} {step}`. */
  readonly jobs: () => readonly string[];
}

const say =
  process.env['VNFLOW_TEST_LOG'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`);

interface Live {
  readonly worker: WorkerProcess;
  /** Steps between their borders: `{operation} {step} {attempt}`. */
  readonly moving: Set<string>;
  /** Borders that it stands at, and the message that is not answered. */
  readonly at: Map<string, number | undefined>;
  since: number;
}

/**
 * Starts workers that are killed or stopped, each at another border of a step, and in the middle of each job on a node.
 * Another worker follows at once, so that one operation passes all borders. Spare processes wait, so that no time is
 * lost.
 */
export async function startCrashingWorkers(settings: WorkerSettings, options: CrashOptions): Promise<CrashingWorkers> {
  const { by, atOnce = 1, where = () => true, seed, jobs } = options;
  const struck = new Set<string>();
  const stopped: Live[] = [];
  let blows = 0;
  const isWanted = (border: string) => !struck.has(border) && blows < MOST_BLOWS && where(border.slice(37));

  const spawn = (): Live => {
    const live: Live = {
      worker: spawnWorker(settings, (reached) => arrive(live, reached)),
      moving: new Set(),
      at: new Map(),
      since: 0,
    };
    return live;
  };
  const arrive = (live: Live, reached: Reached) => {
    const { token, point, step, attempt } = reached;
    const border = borderOf(seed, reached);
    if (point === 'before') live.moving.add(`${step} ${attempt}`);
    if (point === 'recorded' || point === 'failed') live.moving.delete(`${step} ${attempt}`);
    if (border === undefined || !isWanted(border) || stopped.includes(live)) return live.worker.go(token);
    live.moving.delete(`${step} ${attempt}`);
    stand(live, border, { token, since: Date.now() });
  };
  const look = () => {
    for (const job of jobs()) {
      const border = `${job} during`;
      if (!isWanted(border) || lives.some(({ at }) => at.has(border))) continue;
      const live = lives.find(({ moving }) => [...moving].some((step) => step.startsWith(`${job} `))) ?? lives[0];
      if (live) stand(live, border, { since: Date.now() - GATHER_MS + MIDST_MS });
    }
    for (const live of lives) {
      if (live.at.size > 0 && (live.moving.size === 0 || Date.now() >= live.since + GATHER_MS)) strike(live);
    }
  };
  const strike = (live: Live) => {
    blows += 1;
    say(`${by} ${blows}: ${[...live.at.keys()].map((border) => border.slice(37)).join(', ')}`);
    live.worker.signal(by);
    for (const border of live.at.keys()) struck.add(border);
    if (by === 'SIGSTOP') stopped.push(live);
    void spare.worker.run();
    lives = [...lives.filter((other) => other !== live), spare];
    spare = spawn();
  };

  let lives = Array.from({ length: atOnce }, spawn);
  let spare = spawn();
  await Promise.all(lives.map(({ worker }) => worker.run()));
  const timer = setInterval(look, LOOK_MS);
  return {
    struck,
    blows: () => blows,
    wake: () => {
      for (const { worker, at } of stopped) {
        worker.signal('SIGCONT');
        for (const token of at.values()) if (token !== undefined) worker.go(token);
      }
    },
    stop: async () => {
      clearInterval(timer);
      for (const { worker } of [...lives, spare, ...stopped]) {
        worker.signal('SIGKILL');
        await worker.ended;
      }
    },
  };
}

function stand(live: Live, border: string, { token, since }: { token?: number; since: number }): void {
  live.since = live.at.size === 0 ? since : Math.min(live.since, since);
  live.at.set(border, token);
}

/**
 * A step's record in the store lies at its border too: the seed decides whether the worker is struck on this or that
 * side of it.
 */
function borderOf(seed: number, { step, point, activity }: Reached): string | undefined {
  if (point === 'failed') return undefined;
  const side = point === 'before' || point === 'started' ? 'before' : 'after';
  const [outer, inner] = side === 'before' ? ['before', 'started'] : ['recorded', 'done'];
  const hash = createHash('sha256')
    .update(`${seed} ${step.slice(37)} ${side}`)
    .digest();
  const chosen = activity.includes('(local)') || (hash[0] ?? 0) < 128 ? outer : inner;
  return point === chosen ? `${step} ${side}` : undefined;
}
