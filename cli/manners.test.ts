import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { bashCompletion, fishCompletion } from './completion.ts';
import { localClock, localTime } from './local-time.ts';
import { createProgram } from './program.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-manners-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Types `vnflow …` where no vnflow is up. */
async function type(...words: string[]): Promise<Typed> {
  const env = { ...process.env, VNFM_URL: 'http://127.0.0.1:9', VNFM_TOKEN: 't', OS_AUTH_URL: '' };
  try {
    const done = await promisify(execFile)(process.execPath, [main, ...words], { env, cwd: directory });
    return { code: 0, ...done };
  } catch (error) {
    return error as Typed;
  }
}

it('says what is wrong in two lines, with the nearest command, and exits with 64', async () => {
  expect(await type('ops', 'retri', '12345678')).toMatchObject({
    code: 64,
    stdout: '',
    stderr: "vnflow: unknown command 'retri' (Did you mean retry?)\n  See vnflow ops --help\n",
  });
  expect((await type('statuss', 'x')).stderr).toBe(
    "vnflow: unknown command 'statuss' (Did you mean status?)\n  See vnflow --help\n",
  );
  expect((await type('watch')).stderr).toBe(
    "vnflow: missing required argument 'operation'\n  See vnflow watch --help\n",
  );
  expect((await type('ops', '--state', 'LOST')).stderr).toMatch(
    /Allowed choices are STARTING.*\n {2}See vnflow ops --help\n$/,
  );
}, 60_000);

it('tells its version, and distinguishes who could not be asked', async () => {
  expect(await type('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await type('ops')).toMatchObject({ code: 5, stderr: expect.stringContaining('does not answer') });
}, 60_000);

it('completes commands, subcommands, options and values in bash', () => {
  const script = path.join(directory, 'completion.bash');
  writeFileSync(script, bashCompletion(createProgram()));
  const complete = (...words: string[]) => {
    const array = words.map((word) => `'${word}'`).join(' ');
    const run = `source '${script}'; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _vnflow; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['-c', run], { encoding: 'utf8', cwd: directory }).trim().split(/\s+/);
  };
  expect(complete('vnflow', 'sta')).toEqual(['status']);
  expect(complete('vnflow', 'ops', 're')).toEqual(['retry', 'resume']);
  expect(complete('vnflow', 'ops', 'cancel', 'abcd1234', '--for')).toEqual(['--forceful']);
  expect(complete('vnflow', 'plan', 'he')).toEqual(['heal']);
  const fish = fishCompletion(createProgram());
  expect(fish).toContain("complete -c vnflow -n '__fish_use_subcommand' -a status\n");
  expect(fish).toContain("-n '__fish_seen_subcommand_from ops; and __fish_seen_subcommand_from cancel' -l forceful\n");
});

it('shows local time with its offset, also of times without a zone, which are UTC', () => {
  const before = process.env['TZ'];
  process.env['TZ'] = 'America/St_Johns';
  try {
    expect(localTime('2026-11-22T12:00:05Z')).toBe('2026-11-22 08:30:05 -03:30');
    expect(localTime('2026-11-22T12:00:05')).toBe('2026-11-22 08:30:05 -03:30');
    expect(localClock('2026-11-22T12:00:05.123Z')).toBe('08:30:05');
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

it.runIf(process.platform === 'linux')(
  'Ctrl-C during the start stops at once, and leaves neither lock nor process',
  async () => {
    const data = path.join(directory, 'data');
    const { TEMPORAL_ADDRESS: _, ...env } = process.env;
    const up = spawn(process.execPath, [main, 'up', '--data', data, '--port', '0'], { env, cwd: directory });
    let said = '';
    up.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    // the simulator is being launched
    await expect.poll(() => processesWith(data).length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(1);
    const since = Date.now();
    up.kill('SIGINT');
    const code = await new Promise((resolve) => up.once('close', resolve));
    expect([code, said]).toEqual([130, expect.stringContaining('Stopped during the start')]);
    expect(Date.now() - since).toBeLessThan(5_000);
    expect(existsSync(path.join(data, 'up.lock'))).toBe(false);
    expect(processesWith(data)).toEqual([]);
  },
  90_000,
);

/** Ids of the processes whose command line has this text. */
function processesWith(text: string): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
