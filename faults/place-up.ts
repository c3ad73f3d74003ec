import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  endProcess,
  familyOf,
  freePort,
  hasEnded,
  isRunning,
  killNow,
  pauseFamily,
  startProcess,
  waitUntil,
} from './child.ts';
import type { Place, PlaceOptions } from './place.ts';
import { isApiServing, isSimulatorServing, isTemporalServing } from './serving.ts';
import { mountSmallDisk } from './small-disk.ts';

/** Far more than needed, because the machine may be busy with other work. */
const STOP_LIMIT_MS = 60_000;
const START_LIMIT_MS = 240_000;
/** Limit for vnflow to recover by itself, or to end: its parts have 90 seconds together to stop in order. */
const RECOVERY_LIMIT_MS = 120_000;

const Running = z.object({
  process: z.object({ pid: z.int() }),
  apiUrl: z.url(),
  temporal: z.object({ address: z.string(), process: z.object({ pid: z.int() }) }),
  simulator: z.object({
    url: z.url(),
    authUrl: z.url(),
    bastion: z.object({ host: z.string(), port: z.int() }),
    process: z.object({ pid: z.int() }),
  }),
});
type Running = z.infer<typeof Running>;

/**
 * Starts `vnflow up`: API, worker and store in one process, the Temporal server and the simulator each in another one.
 */
export async function startUpPlace({ directory, speed, root }: PlaceOptions): Promise<Place> {
  const data = path.join(directory, 'data');
  const disk = mountSmallDisk(data);
  // the simulated cloud is another machine: its disk has room
  const cloud = path.join(directory, 'simulator');
  mkdirSync(cloud, { mode: 0o700 });
  symlinkSync(cloud, path.join(data, 'simulator'));
  const port = await freePort();
  // a port of its own: `up` of another place must not take the default one while our Temporal server is dead
  const temporalPort = await freePort();
  let up = launch(directory, data, { port, temporalPort, speed, root });
  const takeDisk = () => {
    if (!disk) return;
    for (const log of ['vnflow.log', 'simulator.log', 'temporal/temporal.log'])
      cpSync(path.join(data, log), path.join(directory, path.basename(log)), { force: true });
    disk.remove();
  };
  const first = await ready(data, up).catch(async (error: unknown) => {
    await endProcess(up, STOP_LIMIT_MS);
    disk?.remove();
    throw error;
  });
  let killed: number | undefined;
  const pidOf = (victim: string): number => {
    const now = upFile(data);
    const pid =
      victim === 'up' ? up.pid : victim === 'simulator' ? now?.simulator.process.pid : now?.temporal.process.pid;
    if (pid === undefined || !isRunning(pid)) throw new Error(`${victim} does not run`);
    return pid;
  };

  const restart = async (): Promise<void> => {
    up = launch(directory, data, { port, temporalPort, speed, root });
    await ready(data, up);
  };
  return {
    shape: 'up',
    apiUrls: [first.apiUrl],
    simulatorUrl: first.simulator.url,
    authUrl: first.simulator.authUrl,
    temporalAddress: first.temporal.address,
    victims: ['temporal', 'up', 'simulator', 'none'],
    bastion: `${first.simulator.bastion.host}:${first.simulator.bastion.port}`,
    openFiles: () => [
      path.join(directory, 'up.log'),
      ...[
        'vnflow.log',
        'simulator.log',
        'temporal/temporal.log',
        'temporal/temporal.db',
        'temporal/temporal.db-wal',
      ].map((name) => path.join(data, name)),
    ],
    directory,
    kill: (victim) => {
      if (victim === 'none') return;
      killed = pidOf(victim);
      killNow(killed);
    },
    // the Temporal server and the simulator are children of `vnflow up`: they run on while it is stopped
    pause: (victim) => pauseFamily(pidOf(victim), victim === 'up' ? [pidOf('temporal'), pidOf('simulator')] : []),
    fillDisk: disk?.fill,
    processes: () => [...new Set(['up', 'temporal', 'simulator'].flatMap((victim) => familyOf(pidOf(victim))))],
    recover: async () => {
      const isBack = async () => {
        const now = upFile(data);
        return (
          now !== undefined &&
          now.process.pid === up.pid &&
          now.temporal.process.pid !== killed &&
          now.simulator.process.pid !== killed &&
          isRunning(now.simulator.process.pid) &&
          (await isTemporalServing(now.temporal.address)) &&
          (await isSimulatorServing(now.simulator.url)) &&
          (await isApiServing(now.apiUrl))
        );
      };
      await waitUntil(async () => hasEnded(up) || (await isBack()), RECOVERY_LIMIT_MS);
      if (!hasEnded(up) && (await isBack())) return [];
      const how = hasEnded(up) ? `ended with ${up.exitCode ?? up.signalCode}` : 'hung';
      const wasVictim = up.pid === killed;
      if (how === 'hung' && up.pid !== undefined) killNow(up.pid);
      await waitUntil(() => hasEnded(up), 5_000);
      await restart();
      return wasVictim ? [] : [`vnflow up ${how}`];
    },
    stop: async () => {
      await endProcess(up, STOP_LIMIT_MS);
      // an `up` that did not end in time has left its children behind
      const left = upFile(data);
      for (const part of [left?.temporal, left?.simulator])
        if (part && isRunning(part.process.pid)) killNow(part.process.pid);
      takeDisk();
    },
  };
}

function launch(
  directory: string,
  data: string,
  { port, temporalPort, speed, root }: { port: number; temporalPort: number; speed: number; root: string },
): ChildProcess {
  return startProcess({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', path.join(root, 'cli', 'main.ts'), 'up', '--data', data].concat(
      ...['--port', `${port}`, '--temporal-port', `${temporalPort}`, '--speed', `${speed}`, '--hosts', '12'],
    ),
    log: path.join(directory, 'up.log'),
  });
}

async function ready(data: string, up: ChildProcess): Promise<Running> {
  const isReady = await waitUntil(() => hasEnded(up) || upFile(data)?.process.pid === up.pid, START_LIMIT_MS);
  const running = upFile(data);
  if (!isReady || hasEnded(up) || !running)
    throw new Error(`vnflow up did not start: see ${path.dirname(data)}/up.log`);
  return running;
}

/** Reads `up.json`. @returns undefined unless the file is complete */
function upFile(data: string): Running | undefined {
  try {
    return Running.parse(JSON.parse(readFileSync(path.join(data, 'up.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
