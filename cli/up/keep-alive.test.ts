import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { countDeaths } from '../../worker/growing-pauses.ts';
import { type KeptPart, keepAlive } from './keep-alive.ts';
import { identityOf, isAlive, type ProcessIdentity, stopProcessesAtOnce } from './process-identity.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A child that lives until it is killed, or ends at once. */
function start(script: string): ProcessIdentity {
  const child = spawn(process.execPath, ['-e', script]);
  children.push(child);
  const identity = identityOf(child.pid ?? 0);
  if (!identity) throw new Error('it did not start');
  return identity;
}
const LIVES = 'setInterval(() => {}, 1000)';

function part(script: string): KeptPart & { readonly started: ProcessIdentity[] } {
  const started = [start(LIVES)];
  return {
    name: 'Temporal server',
    log: 'temporal.log',
    started,
    identity: () => started.at(-1),
    restart: async () => void started.push(start(script)),
  };
}

it('restarts a killed part and reports it, and restarts none after the end', async () => {
  const said: string[] = [];
  const temporal = part(LIVES);
  const kept = keepAlive(
    [temporal],
    (line) => said.push(line),
    () => countDeaths([10, 10]),
  );
  process.kill(temporal.started[0]?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => temporal.started.length, { timeout: 20_000 }).toBe(2);
  expect(temporal.started[1] && isAlive(temporal.started[1])).toBe(true);
  await expect
    .poll(() => said)
    .toEqual([
      'The Temporal server ended unexpectedly (see temporal.log); it is started again in 0.01 s',
      'The Temporal server runs again',
    ]);
  await kept.end();
  process.kill(temporal.started[1]?.pid ?? 0, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(temporal.started.length).toBe(2);
}, 30_000);

it('gives up a part that ends at once several times in a row', async () => {
  const temporal = part('');
  const kept = keepAlive(
    [temporal],
    () => {},
    () => countDeaths([1, 1]),
  );
  process.kill(temporal.started[0]?.pid ?? 0, 'SIGKILL');
  await expect(kept.died).rejects.toThrow(
    'The Temporal server ended again and again and is given up: see temporal.log',
  );
  expect(temporal.started.length).toBe(3);
  await kept.end();
}, 30_000);

it('gives up a part that cannot be started, and reports why', async () => {
  const temporal = part('');
  const restart = () => Promise.reject(new Error('No space left on device'));
  const kept = keepAlive(
    [{ ...temporal, restart }],
    () => {},
    () => countDeaths([1, 1]),
  );
  process.kill(temporal.started[0]?.pid ?? 0, 'SIGKILL');
  await expect(kept.died).rejects.toThrow('No space left on device');
}, 30_000);

it('stops processes synchronously, also processes that ignore SIGTERM', async () => {
  const stubborn = spawn(process.execPath, ['-e', `process.on('SIGTERM', () => {}); console.log('on'); ${LIVES}`]);
  children.push(stubborn);
  await new Promise((resolve) => stubborn.stdout.once('data', resolve));
  const identities = [identityOf(stubborn.pid ?? 0), start(LIVES)].filter((found) => found !== undefined);
  stopProcessesAtOnce(identities, 200);
  expect(identities.map(isAlive)).toEqual([false, false]);
}, 30_000);
