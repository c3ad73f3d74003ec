import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { identityOf } from './up/process-identity.ts';

const here = (file: string) => JSON.stringify(fileURLToPath(new URL(file, import.meta.url)));
const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-last-resort-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A program that, like `vnflow up`, has a lock and a child, and then a defect. */
const program = (defect: string, data: string) => `
  const { spawn } = await import('node:child_process');
  const { installLastResort, onLastResort } = await import(${here('./last-resort.ts')});
  const { lockData } = await import(${here('./up/data-lock.ts')});
  const { identityOf, stopProcessesAtOnce } = await import(${here('./up/process-identity.ts')});
  const unlock = lockData(${JSON.stringify(data)});
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  installLastResort(${JSON.stringify(data)} + '/vnflow.log');
  onLastResort(() => { throw new Error('a release that fails'); });
  onLastResort(() => { stopProcessesAtOnce([identityOf(child.pid)]); unlock(); });
  console.log(child.pid);
  setInterval(() => {}, 1000);
  setTimeout(() => { ${defect} }, 50);
`;

it.each([
  ['an uncaught exception', "throw new TypeError('protocol._destruct is not a function')"],
  ['an unhandled rejection', "Promise.reject(new TypeError('protocol._destruct is not a function'))"],
])(
  'after %s: writes a structured line, stops the child, releases the lock, and has an exit code other than 0',
  async (name, defect) => {
    const data = path.join(directory, name.replaceAll(' ', '-'));
    const child = spawn(process.execPath, [
      ...['--input-type=module', '--disable-warning=ExperimentalWarning', '-e'],
      program(defect, data),
    ]);
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      output.out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output.err += chunk.toString();
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(70);
    const [line = '', second = ''] = output.err.trim().split('\n');
    expect(JSON.parse(line)).toMatchObject({
      level: 60,
      err: { type: 'TypeError', message: 'protocol._destruct is not a function', stack: expect.any(String) },
    });
    expect(JSON.parse(second).err.message).toBe('a release that fails');
    expect(readFileSync(path.join(data, 'vnflow.log'), 'utf8')).toContain(line);
    expect(identityOf(Number(output.out))).toBeUndefined();
    expect(existsSync(path.join(data, 'up.lock'))).toBe(false);
  },
  30_000,
);

it('lets the process stop in peace when a call to Temporal is repeated after the connection was closed', async () => {
  const defect = `
    const error = new Error('Channel has been shut down');
    error.stack += '\\n    at Timeout.retry [as _onTimeout] (/x/node_modules/@temporalio/client/lib/grpc-retry.js:142:34)';
    setTimeout(() => process.exit(1), 200);
    throw error;`;
  const child = spawn(process.execPath, [
    ...['--input-type=module', '--disable-warning=ExperimentalWarning', '-e'],
    program(defect, path.join(directory, 'late-retry')),
  ]);
  let pid = '';
  child.stdout.on('data', (chunk: Buffer) => {
    pid += chunk.toString();
  });
  const [code] = await once(child, 'close');
  process.kill(Number(pid));
  expect(code).toBe(1);
}, 30_000);
