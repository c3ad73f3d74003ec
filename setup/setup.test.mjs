import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { areDependenciesPresent, installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { isNewEnough } from './node.mjs';
import { PROJECT } from './paths.mjs';
import { closingLine, countTests, worthAnotherRun } from './test-run.mjs';

let directory;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'vnflow-setup-'));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

describe('dependencies', () => {
  const lock = (version) => JSON.stringify({ packages: { '': { version: '0.1.0' }, 'node_modules/x': { version } } });
  const project = (version) => writeFileSync(path.join(directory, 'package-lock.json'), lock(version));
  /** A stand-in for npm that leaves the files of `npm ci`, and counts its runs. */
  const npm = () => {
    const cli = path.join(directory, 'npm-cli.js');
    const script = `const fs = require('fs'); fs.rmSync('node_modules', { recursive: true, force: true }); fs.mkdirSync('node_modules');
      fs.appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n');`;
    writeFileSync(cli, script);
    return { npm_execpath: cli, PATH: process.env.PATH };
  };

  it('are installed once, and a second time only after a change of the lockfile', async () => {
    project('1.0.0');
    const env = npm();
    expect(areDependenciesPresent(directory)).toBe(false);
    await installDependencies(directory, process.execPath, env);
    expect(areDependenciesPresent(directory)).toBe(true);
    project('1.0.1');
    expect(areDependenciesPresent(directory)).toBe(false);
    expect(readFileSync(path.join(directory, 'runs'), 'utf8')).toMatch(/^ci .*\n$/);
  });

  it('count as installed by hand when they have the versions of the lockfile', () => {
    project('1.0.0');
    mkdirSync(path.join(directory, 'node_modules'));
    const left = path.join(directory, 'node_modules', '.package-lock.json');
    writeFileSync(left, lock('0.9.0'));
    expect(areDependenciesPresent(directory)).toBe(false);
    writeFileSync(left, lock('1.0.0'));
    expect(areDependenciesPresent(directory)).toBe(true);
  });

  it('fail with the messages of npm', async () => {
    project('1.0.0');
    writeFileSync(path.join(directory, 'npm-cli.js'), `console.error('npm error ENOTFOUND registry'); process.exit(1)`);
    const env = { npm_execpath: path.join(directory, 'npm-cli.js'), PATH: process.env.PATH };
    await expect(installDependencies(directory, process.execPath, env)).rejects.toThrow(/npm error ENOTFOUND registry/);
    expect(areDependenciesPresent(directory)).toBe(false);
  });
});

describe('two set-ups at once', () => {
  it('do not work at the same time', async () => {
    const lock = path.join(directory, 'lock');
    let inside = 0;
    const work = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await delay(30);
      inside -= 1;
    };
    await Promise.all([withLock(lock, work), withLock(lock, work), withLock(lock, work)]);
  });

  it('do not wait for a set-up that was killed', async () => {
    const lock = path.join(directory, 'lock');
    writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, since: Date.now() }));
    expect(await withLock(lock, async () => 'done')).toBe('done');
  });
});

it.each([
  ['v18.20.0', false],
  ['v22.22.0', false],
  ['v24.1.0', false],
  ['v24.2.0', true],
  ['v26.0.0', true],
])('Node %s is new enough: %s', (version, expected) => expect(isNewEnough(version)).toBe(expected));

describe('the closing line of npm test', () => {
  const file = (status, ...states) => ({ status, assertionResults: states.map((state) => ({ status: state })) });
  const count = (files, exitCode) => countTests(JSON.stringify({ testResults: files }), exitCode);

  it('counts tests', () => {
    expect(count([file('passed', 'passed', 'passed', 'pending'), file('failed', 'failed', 'passed')], 1)).toEqual({
      passed: 3,
      failed: 1,
      skipped: 1,
    });
  });

  it('counts a file that could not be loaded, an error outside of tests, and a runner that died', () => {
    expect(count([file('failed')], 1).failed).toBe(1);
    expect(count([file('passed', 'passed')], 1).failed).toBe(1);
    expect(countTests(undefined, 1).failed).toBe(1);
  });

  it('repeats a few failed files that wait for processes, and no test of a pure function', () => {
    const again = (...names) =>
      worthAnotherRun(
        JSON.stringify({
          testResults: [
            { name: path.join(PROJECT, 'test/fine.test.ts'), status: 'passed' },
            ...names.map((name) => ({ name: path.join(PROJECT, name), status: 'failed' })),
          ],
        }),
      );
    expect(again('test/slow.test.ts')).toEqual(['test/slow.test.ts']);
    expect(again('simulator/test/slow.test.ts')).toEqual(['simulator/test/slow.test.ts']);
    expect(again('test/slow.test.ts', 'domain/plan.test.ts')).toEqual([]);
    expect(again('test/1.test.ts', 'test/2.test.ts', 'test/3.test.ts', 'test/4.test.ts')).toEqual([]);
    expect(again()).toEqual([]);
    expect(worthAnotherRun(undefined)).toEqual([]);
  });

  it('has the form that CI reads', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
    expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped');
    expect(closingLine({ passed: 12, failed: 0, skipped: 0, repeated: 1 })).toBe(
      '12 passed, 0 failed, 1 test file(s) passed only in a second run',
    );
  });
});
