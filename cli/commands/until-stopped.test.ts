import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('./until-stopped.ts', import.meta.url));
/** A program that stops slowly, so that a second signal can arrive meanwhile. Its clock runs a second in 50 ms. */
const PROGRAM = `
  const { onStopRequest } = await import(${JSON.stringify(MODULE)});
  const stop = onStopRequest(() => performance.now() * 20);
  console.log('ready');
  const alive = setInterval(() => {}, 1000);
  await stop.requested;
  setTimeout(() => { console.log('stopped cleanly'); clearInterval(alive); process.exit(0); }, 400);
`;

async function program() {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--disable-warning=ExperimentalWarning',
    '-e',
    PROGRAM,
  ]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child.stdout, 'data');
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, output }));
  return { child, ended };
}

it('stops cleanly at one Ctrl-C, also when npm passes it on a second time', async () => {
  const { child, ended } = await program();
  child.kill('SIGINT');
  await delay(5);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, output: 'ready\nstopped cleanly\n' });
});

it('ends at once at a second Ctrl-C', async () => {
  const { child, ended } = await program();
  child.kill('SIGINT');
  await delay(150);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, output: 'ready\n' });
});
