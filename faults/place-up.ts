import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { endProcess, freePort, hasEnded, isRunning, killNow, startProcess, waitUntil } from './child.ts';
import type { Place, PlaceOptions } from './place.ts';
import { isApiServing, isTemporalServing } from './serving.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
/** Far more than needed, because the machine may be busy with other work. */
const STOP_LIMIT_MS = 60_000;
const START_LIMIT_MS = 240_000;
/** Limit for vnflow to recover by itself. */
const RECOVERY_LIMIT_MS = 60_000;

const Running = z.object({
  process: z.object({ pid: z.int() }),
  apiUrl: z.url(),
  temporal: z.object({ address: z.string(), process: z.object({ pid: z.int() }) }),
  simulator: z.object({ url: z.url(), authUrl: z.url(), process: z.object({ pid: z.int() }) }),
});
type Running = z.infer<typeof Running>;

/**
 * Starts `vnflow up`: API, worker and store in one process, the Temporal server and the simulator each in another one.
 */
export async function startUpPlace({ directory, speed }: PlaceOptions): Promise<Place> {
  const data = path.join(directory, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const port = await freePort();
  let up = launch(directory, data, { port, speed });
  const first = await ready(data, up);
  let killed: number | undefined;

  const restart = async (): Promise<void> => {
    up = launch(directory, data, { port, speed });
    await ready(data, up);
  };
  return {
    shape: 'up',
    apiUrls: [first.apiUrl],
    simulatorUrl: first.simulator.url,
    authUrl: first.simulator.authUrl,
    temporalAddress: first.temporal.address,
    victims: ['temporal', 'up', 'none'],
    directory,
    kill: (victim) => {
      if (victim === 'none') return;
      killed = victim === 'temporal' ? upFile(data)?.temporal.process.pid : up.pid;
      if (killed === undefined || !isRunning(killed)) throw new Error(`${victim} does not run: nothing to kill`);
      killNow(killed);
    },
    recover: async () => {
      const isBack = async () => {
        const now = upFile(data);
        return (
          now !== undefined &&
          now.process.pid === up.pid &&
          now.temporal.process.pid !== killed &&
          (await isTemporalServing(now.temporal.address)) &&
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
    },
  };
}

function launch(directory: string, data: string, { port, speed }: { port: number; speed: number }): ChildProcess {
  return startProcess({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', MAIN, 'up', '--data', data, '--port', `${port}`].concat(
      '--speed',
      `${speed}`,
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
