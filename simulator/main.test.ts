import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { login, request, topStack } from './test/testing/cloud.ts';
import { isObject, listAt, objectAt } from './world/cloud/json.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'simulator-'));
});
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const readySchema = z.object({ ready: z.literal(true), authUrl: z.string(), url: z.string(), pid: z.number() });

async function start(speed: number): Promise<{ child: ChildProcess; authUrl: string; url: string }> {
  const main = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main, '--directory', directory, '--speed', String(speed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return { child, ...readySchema.parse(JSON.parse(text)) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}

it('goes on with a stack after kill -9: nothing twice, nothing forgotten', async () => {
  const first = await start(10);
  const client = await login(first);
  const made = await client.heat('POST', '/stacks', topStack('survivor'));
  const stack = `/stacks/survivor/${objectAt(made.body, 'stack')['id']}`;
  await new Promise((resolve) => setTimeout(resolve, 700)); // the simulator is killed while Nova builds the servers
  const before = await client.heat('GET', `${stack}/resources?nested_depth=2`);
  expect(
    listAt(before.body, 'resources')
      .filter(isObject)
      .some((row) => row['resource_status'] === 'CREATE_IN_PROGRESS'),
  ).toBe(true);
  await end(first.child, 'SIGKILL');

  const second = await start(200);
  const again = await login(second);
  expect((await again.settled(stack))['stack_status']).toBe('CREATE_COMPLETE');
  expect(listAt((await again.call('GET', '/compute/v2.1/servers')).body, 'servers')).toHaveLength(3);
  expect(
    (
      await request(`${second.url}/heat-api/v1/${client.projectId}/stacks`, 'GET', {
        headers: { 'X-Auth-Token': client.token },
      })
    ).status,
  ).toBe(200);
  expect(await end(second.child, 'SIGTERM')).toBe(0);
});

it('keeps a stack it answered 201 for, even when killed at that very moment', async () => {
  const first = await start(1);
  const client = await login(first);
  const made = await client.heat('POST', '/stacks', topStack('promised'));
  await end(first.child, 'SIGKILL');
  const second = await start(1);
  const shown = await (await login(second)).heat('GET', `/stacks/promised/${objectAt(made.body, 'stack')['id']}`);
  expect([made.status, shown.status]).toEqual([201, 200]);
});
