import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { CHANGE } from './registry-files.ts';

/** The script in the real shell of this machine, with a systemctl that writes down what it is called with. */
const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-registry-files-'));
afterAll(() => rmSync(directory, { recursive: true }));
const at = (name: string) => path.join(directory, name);
const work = at('work');

beforeEach(() => {
  writeFileSync(
    at('systemctl'),
    `#!/bin/sh\necho "$*" >> ${at('calls')}\ntest ! -f ${at('broken')} || test "$1" = is-active\n`,
  );
  chmodSync(at('systemctl'), 0o755);
  for (const name of ['calls', 'broken']) rmSync(at(name), { force: true });
});

const put = (mode: string, name: string, text: string) =>
  `put ${mode} ${at(name)} ${Buffer.from(text).toString('base64')} .\n`;

const change = (...lines: readonly string[]) => send([...lines, 'end - - - .\n'].join(''));

function send(input: string) {
  const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('sh', ['-c', CHANGE, 'vnflow', work], { input, env });
  return [status, stderr.toString()];
}
const calls = () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split('\n') : []);

it('writes files with their modes, removes others with their directory, and restarts what has to read them', () => {
  expect(
    change(put('0644', 'certs.d/a:1/hosts.toml', 'a "b" \\n\n'), put('0600', 'kubelet/config.json', '{}')),
  ).toEqual([0, '']);
  expect(readFileSync(at('certs.d/a:1/hosts.toml'), 'utf8')).toBe('a "b" \\n\n');
  expect(statSync(at('kubelet/config.json')).mode & 0o777).toBe(0o600);
  expect(statSync(at('certs.d/a:1')).mode & 0o777).toBe(0o755);
  expect(calls()).toEqual([]);
  expect(change('restart kubelet - - .\n', `remove ${at('certs.d/a:1/hosts.toml')} - - .\n`)).toEqual([0, '']);
  expect(existsSync(at('certs.d/a:1'))).toBe(false);
  expect(calls()).toEqual(['is-active --quiet kubelet', 'restart kubelet']);
});

it('a line that was cut off changes nothing', () => {
  change(put('0644', 'hosts', 'whole\n'));
  const line = put('0644', 'hosts', 'a longer text\n');
  const cut = [line.slice(0, -1), line.slice(0, -6), `${line.slice(0, -6)}\n`, put('0644', 'other', 'x')];
  for (const input of cut) expect(send(input)).toEqual([1, expect.stringContaining('cut off')]);
  expect(readFileSync(at('hosts'), 'utf8')).toBe('whole\n');
});

it('a restart that failed is made up for by the next change', () => {
  writeFileSync(at('broken'), '');
  expect(change('restart containerd - - .\n')).toEqual([1, 'containerd does not start\n']);
  rmSync(at('broken'));
  rmSync(at('calls'));
  expect(change()).toEqual([0, '']);
  expect(calls()).toContain('restart containerd');
  rmSync(at('calls'));
  change();
  expect(calls()).toEqual([]);
});
