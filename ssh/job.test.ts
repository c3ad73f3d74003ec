import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { problemOf } from '../test/testing/problem-of.ts';
import { type LoopbackNode, startLoopbackNode } from '../test/testing/ssh/loopback-node.ts';
import type { ExecResult } from './exec.ts';
import { cancelJob, type FollowOptions, isJobBegun, type Job, jobId, runJob } from './job.ts';
import { startCommand } from './job-commands.ts';
import { openSession, type SshSession } from './session.ts';

let node: LoopbackNode;
const sessions: SshSession[] = [];

beforeEach(async () => {
  node = await startLoopbackNode();
});
afterEach(async () => {
  const session = await login();
  for (const id of existsSync(`${node.jobRoot}/jobs`) ? readdirSync(`${node.jobRoot}/jobs`) : []) {
    rmSync(`${node.directory}/systemd-is-down`, { force: true });
    await cancelJob(session, id, node.jobRoot);
  }
  for (const each of sessions.splice(0)) each.end();
  await node.stop();
});

async function login(): Promise<SshSession> {
  const session = await openSession({
    host: '127.0.0.1',
    port: node.port,
    username: 'ubuntu',
    auth: { password: 'pa ss"word' },
    hostKey: { expected: [node.fingerprint], onFirstContact: () => undefined },
    connectTimeoutMs: 3_000,
  });
  sessions.push(session);
  return session;
}

function job(script: string, changes: Partial<Job> = {}): Job {
  return {
    id: 'op1-prepare',
    description: 'prepare worker1',
    script,
    args: ['prepare'],
    env: {},
    timeLimitSeconds: 30,
    ...changes,
  };
}

function run(session: SshSession, what: Job, options: FollowOptions = {}) {
  return runJob(session, what, { root: node.jobRoot, pollMs: { min: 30, max: 100 }, ...options });
}

function starts(): number {
  const file = `${node.directory}/starts`;
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;
}

const jobFile = (name: string, id = 'op1-prepare') => `${node.jobRoot}/jobs/${id}/${name}`;

test('a script gets its phase and its parameters, and its outputs are returned', async () => {
  const env = { NODE_NAME: 'worker1', MOTTO: `it's "two"\nlines $HOME` };
  const script = `echo "phase $1 on $NODE_NAME"; printf '%s' "$MOTTO" | od -An -c >&2
    echo "CA_CERT_HASH=sha256:ab=cd" >> "$VNFLOW_OUTPUT"; echo "JOIN_TOKEN=s3cret" >> "$VNFLOW_SECRET_OUTPUT"`;
  const result = await run(await login(), job(script, { env }));
  expect(result).toMatchObject({
    exitCode: 0,
    attached: false,
    outputs: { CA_CERT_HASH: 'sha256:ab=cd' },
    secretOutputs: { JOIN_TOKEN: 's3cret' },
  });
  expect(result.logTail).toContain('phase prepare on worker1');
  expect(result.logTail.replace(/\s+/g, '')).toContain(`it's"two"\\nlines$HOME`);
});

test('attempts at the same time start the script once, and all get its result', async () => {
  const script = `echo begin; sleep 0.5; echo "ID=$$" >> "$VNFLOW_OUTPUT"`;
  await run(await login(), job(script, { id: 'the-script-is-there' }));
  const attempts = await Promise.all([1, 2, 3, 4, 5].map(login));
  const results = await Promise.all(attempts.map((session) => run(session, job(script))));
  expect(starts()).toBe(2);
  expect(new Set(results.map(({ outputs }) => outputs['ID'])).size).toBe(1);
  expect(results.filter(({ attached }) => !attached)).toHaveLength(1);
});

test('a session that is lost during a job is retriable, and the next attempt attaches to the running job', async () => {
  const session = await login();
  const first = problemOf(run(session, job('echo begin; sleep 1; echo end')));
  while (starts() === 0) await delay(20);
  node.cut();
  const problem = await first;
  expect([problem.code, problem.kind.retriable]).toEqual(['NODE_UNREACHABLE', true]);
  const second = await run(await login(), job('echo begin; sleep 1; echo end'));
  expect(second).toMatchObject({ attached: true, logTail: 'begin\nend' });
  expect(starts()).toBe(1);
});

test('the end of a job is noticed at once, even with long pauses between two looks', async () => {
  const session = await login();
  await run(session, job('true', { id: 'the-script-is-there' }));
  const began = Date.now();
  await run(session, job('sleep 0.5'), { pollMs: { min: 5_000, max: 5_000 } });
  expect(Date.now() - began).toBeLessThan(2_500);
});

test('a job that has succeeded is not run again', async () => {
  const session = await login();
  await run(session, job('echo "N=1" >> "$VNFLOW_OUTPUT"'));
  expect(await run(session, job('echo "N=1" >> "$VNFLOW_OUTPUT"'))).toMatchObject({
    attached: true,
    outputs: { N: '1' },
  });
  expect(starts()).toBe(1);
});

test('a failed job is archived with its log and started again', async () => {
  const session = await login();
  const script = `echo "try"; [ -f "${node.directory}/mended" ] || { echo "disk full" >&2; exit 3; }`;
  const problem = await problemOf(run(session, job(script)));
  expect(problem.code).toBe('NODE_COMMAND_FAILED');
  expect(problem.message).toBe('"prepare worker1" on the node 127.0.0.1 failed with exit code 3.');
  expect(problem.seen).toBe('try\ndisk full');
  writeFileSync(`${node.directory}/mended`, '');
  expect(await run(session, job(script))).toMatchObject({ attached: false, logTail: 'try' });
  expect(readFileSync(jobFile('log', 'op1-prepare.failed-1'), 'utf8')).toContain('disk full');
});

test('a full disk is reported as a full disk, whatever exit code the script has', async () => {
  const script = (code: number) => `echo "cp: error writing 'x': No space left on device" >&2; exit ${code}`;
  for (const [id, code] of Object.entries({ 'op1-a': 1, 'op1-b': 75 })) {
    const problem = await problemOf(run(await login(), job(script(code), { id })));
    expect([problem.code, problem.kind.retriable]).toEqual(['NODE_DISK_FULL', false]);
    expect(problem.message).toContain('there is no space left on the disk');
    expect(problem.seen).toContain('No space left on device');
  }
});

test('exit 75 is a transient failure', async () => {
  const problem = await problemOf(run(await login(), job('echo mirror down; exit 75')));
  expect([problem.code, problem.kind.retriable, problem.seen]).toEqual(['NODE_COMMAND_TRANSIENT', true, 'mirror down']);
});

test('the reason that the script prints is the reason of the failure', async () => {
  const script = (code: number, last: string) => `echo "some output"; echo "${last}" >&2; exit ${code}`;
  const transient = await problemOf(
    run(await login(), job(script(75, 'not now: the mirror is down'), { id: 'op1-a' })),
  );
  expect(transient.message).toMatch(/asked to be tried again: the mirror is down\.$/);
  const permanent = await problemOf(run(await login(), job(script(1, 'error: no such release.'), { id: 'op1-b' })));
  expect(permanent.message).toMatch(/failed with exit code 1: no such release\.$/);
});

test('a job that vanished because the node restarted is retriable, and the next attempt starts it', async () => {
  const session = await login();
  const script = `[ -f "${node.directory}/second" ] || sleep 20; echo done`;
  const first = problemOf(run(session, job(script)));
  while (!existsSync(jobFile('unit')) || starts() === 0) await delay(20);
  const unit = readFileSync(jobFile('unit'), 'utf8').trim();
  await session.exec(`systemctl stop ${unit}`);
  expect((await first).code).toBe('NODE_COMMAND_TRANSIENT');
  writeFileSync(`${node.directory}/second`, '');
  expect((await run(session, job(script))).attached).toBe(false);
  expect(starts()).toBe(2);
});

test('a job over its time limit is stopped and says so', async () => {
  const problem = await problemOf(run(await login(), job('echo waiting; sleep 20', { timeLimitSeconds: 1 })));
  expect([problem.code, problem.seen]).toEqual(['NODE_JOB_TIMEOUT', 'waiting']);
  expect(problem.message).toContain('did not end within 1 s');
});

test('a cancelled job is dead on the node, and a later attempt can start it', async () => {
  const session = await login();
  const script = `[ -f "${node.directory}/second" ] || { echo $$ > "${node.directory}/pid"; exec sleep 20; }`;
  const first = problemOf(run(session, job(script)));
  while (!existsSync(`${node.directory}/pid`)) await delay(20);
  await cancelJob(await login(), 'op1-prepare', node.jobRoot);
  await first;
  const pid = Number(readFileSync(`${node.directory}/pid`, 'utf8'));
  expect(execFileSync('sh', ['-c', `ps -o stat= -p ${pid} || echo gone`], { encoding: 'utf8' })).toMatch(/^(gone|Z)/);
  writeFileSync(`${node.directory}/second`, '');
  expect((await run(session, job(script))).attached).toBe(false);
});

test('when systemd cannot say whether the job runs, it is not started a second time', async () => {
  const session = await login();
  const first = run(session, job('sleep 0.6'));
  while (starts() === 0) await delay(20);
  writeFileSync(`${node.directory}/systemd-is-down`, '');
  const problem = await problemOf(run(await login(), job('sleep 0.6')));
  expect([problem.code, problem.seen]).toEqual(['NODE_COMMAND_TRANSIENT', 'unclear']);
  rmSync(`${node.directory}/systemd-is-down`);
  await first;
  expect(starts()).toBe(1);
});

test('a job whose parameters arrive only in part is not started', async () => {
  const session = await login();
  const nonce = 'n1';
  const command = startCommand({
    root: node.jobRoot,
    id: 'x',
    sha: 'none',
    nonce,
    limitSeconds: 5,
    description: 'x',
    args: [],
  });
  const result = await session.exec(command, { stdin: "export A='1'\nexport B='half" });
  expect(result.stdout).toBe('incomplete\n');
  expect(readdirSync(`${node.jobRoot}/incoming`)).toEqual([]);
});

test('an install script is sent to a node once', async () => {
  const session = await login();
  const script = `: ${'x'.repeat(2000)}`;
  await run(session, job(script, { id: 'op1-prepare' }));
  await run(session, job(script, { id: 'op1-join', args: ['join-worker'] }));
  expect(node.commands.filter((command) => command.includes('echo stored'))).toHaveLength(1);
});

test('secrets are in no process list, command or world-readable file, and are sealed before the node deletes them', async () => {
  const canary = 'CANARY-4711';
  const sealed: unknown[] = [];
  const script = `sleep 0.4; echo "token is $JOIN_TOKEN and ${'$'}{PLAIN}"; echo "KEY=out-$JOIN_TOKEN" >> "$VNFLOW_SECRET_OUTPUT"`;
  const seen: string[] = [];
  const heartbeats: string[] = [];
  const running = run(await login(), job(script, { env: { JOIN_TOKEN: canary, PLAIN: 'worker1' } }), {
    onProgress: (tail) => heartbeats.push(tail),
    sealSecrets: async (secrets) => {
      expect(existsSync(jobFile('secret-output'))).toBe(true);
      sealed.push(secrets);
    },
  });
  let over = false;
  const watch = (async () => {
    while (!over) {
      seen.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }));
      await delay(25);
    }
  })();
  const result = await running.finally(() => {
    over = true;
  });
  await watch;
  expect(seen.some((list) => list.includes('vnflow'))).toBe(true);
  expect(seen.join('\n')).not.toContain(canary);
  expect(node.commands.join('\n')).not.toContain(canary);
  expect(result.logTail).toBe('token is *** and worker1');
  expect(heartbeats.join('\n')).not.toContain(canary);
  expect(sealed).toEqual([{ KEY: `out-${canary}` }]);
  expect([existsSync(jobFile('secret-output')), existsSync(jobFile('env'))]).toEqual([false, false]);
  for (const name of ['script', 'log', 'output', 'run', 'step']) expect(statSync(jobFile(name)).mode & 0o077).toBe(0);
  expect(statSync(jobFile('')).mode & 0o077).toBe(0);
});

test('control characters in a log are removed before it is stored, and hide no secret', async () => {
  const script = `printf 'a\\000b \\033[31mred\\033[0m \\342\\200\\256 cana\\000ry-713\\n'`;
  const { logTail } = await run(await login(), job(script, { secrets: ['canary-713'] }));
  expect(logTail).toBe('ab red  ***');
});

test('a long log is read in pieces, and the tail is its end', async () => {
  const tails: string[] = [];
  const script =
    'i=0; while [ $i -lt 3000 ]; do echo "line $i of a rather long log that goes on and on äöü"; i=$((i+1)); done; sleep 0.3; echo last';
  const { logTail } = await run(await login(), job(script), { onProgress: (tail) => tails.push(tail) });
  expect(logTail.split('\n')).toHaveLength(40);
  expect(logTail.endsWith('line 2999 of a rather long log that goes on and on äöü\nlast')).toBe(true);
  expect(Math.max(...tails.map((tail) => tail.length))).toBeLessThanOrEqual(4000);
});

test('the whole log comes in lines, each once, however long it is, and a secret is never cut in two', async () => {
  let whole = '';
  const script =
    'i=0; while [ $i -lt 3000 ]; do echo "line $i with canary-713 and more of it"; i=$((i+1)); done; printf cana; sleep 0.6; echo ry-713; printf end';
  await run(await login(), job(script, { secrets: ['canary-713'] }), { onLog: (lines) => (whole += lines) });
  const lines = whole.split('\n');
  expect(lines).toHaveLength(3002);
  expect(lines.slice(0, 3000)).toEqual(Array.from({ length: 3000 }, (_, i) => `line ${i} with *** and more of it`));
  expect(lines.slice(3000)).toEqual(['***', 'end']);
});

test('arguments reach the script unchanged', async () => {
  const { logTail } = await run(await login(), job('printf "[%s]" "$@"', { args: ['-m', `a 'b' "c" $HOME %n`] }));
  expect(logTail).toBe(`[-m][a 'b' "c" $HOME %n]`);
});

test('an aborted attempt leaves the job running for the next one', async () => {
  const abort = new AbortController();
  const first = run(await login(), job('sleep 0.6; echo end'), { signal: abort.signal });
  setTimeout(() => abort.abort(new Error('worker shuts down')), 250);
  await expect(first).rejects.toThrow('worker shuts down');
  expect(await run(await login(), job('sleep 0.6; echo end'))).toMatchObject({ logTail: 'end' });
  expect(starts()).toBe(1);
});

test('a job that runs or has succeeded counts as begun, a failed one does not', async () => {
  const begun = async () => isJobBegun(await login(), 'op1-prepare', node.jobRoot);
  expect(await begun()).toBe(false);
  const first = problemOf(run(await login(), job(`sleep 0.6; [ -f "${node.directory}/second" ]`)));
  while (starts() === 0) await delay(20);
  expect(await begun()).toBe(true);
  await first;
  expect(await begun()).toBe(false);
  writeFileSync(`${node.directory}/second`, '');
  await run(await login(), job('true'));
  expect(await begun()).toBe(true);
});

test("a job's id can be the name of a systemd unit, whatever characters the step's name has", () => {
  expect(jobId('4f2c-11', 'prepareNode(workerNode[2])')).toBe('4f2c-11-prepareNode-workerNode-2');
});

/** A session whose commands answer otherwise. */
function changed(session: SshSession, change: (result: ExecResult) => ExecResult): SshSession {
  return { ...session, exec: async (command, options) => change(await session.exec(command, options)) };
}

test('a login profile that prints text is named, and what it prints', async () => {
  const greeting = (result: ExecResult) => ({
    ...result,
    stdout: `Welcome to worker1\n${result.stdout}`,
    stdoutBytes: Buffer.concat([Buffer.from('Welcome to worker1\n'), result.stdoutBytes]),
  });
  const session = changed(await login(), greeting);
  const expected = { code: 'NODE_PROFILE', seen: 'Welcome to worker1', message: expect.stringContaining('profile') };
  expect(await problemOf(run(session, job('exit 0')))).toMatchObject(expected);
  await run(await login(), job('exit 0'));
  expect(await problemOf(isJobBegun(session, 'op1-prepare', node.jobRoot))).toMatchObject(expected);
});

test('a sudo that wants a terminal is named', async () => {
  const refusal = 'sudo: sorry, you must have a tty to run sudo\n';
  const session = changed(await login(), (result) => ({ ...result, code: 1, stdout: '', stderr: refusal }));
  expect(await problemOf(run(session, job('exit 0')))).toMatchObject({
    code: 'NODE_SUDO_TTY',
    message: expect.stringContaining('requiretty'),
  });
});

test('a private key that cannot be read is named, without its text', async () => {
  const opening = openSession({
    host: '127.0.0.1',
    port: node.port,
    username: 'ubuntu',
    auth: { privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n' },
    hostKey: { expected: [node.fingerprint], onFirstContact: () => undefined },
    connectTimeoutMs: 3_000,
  });
  const problem = await problemOf(opening);
  expect(problem).toMatchObject({ code: 'NODE_KEY_UNREADABLE', message: expect.stringContaining('"ubuntu"') });
  expect(`${problem.message} ${problem.seen}`).not.toContain('canary');
});

test('the first job of an operation removes the folders of earlier ones, but for jobs that run or are of no operation', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const session = await login();
  await run(session, job('true', { id: `${first}-prepare`, operation: first }));
  await problemOf(run(session, job('exit 1', { id: `${first}-join`, operation: first })));
  await run(session, job('true', { id: `${first}-join`, operation: first }));
  await run(session, job('true', { id: 'forget-member-1' }));
  const running = job('sleep 60', { id: `${first}-late`, operation: first });
  const cut = new AbortController();
  const aborted = run(session, running, { signal: cut.signal, onProgress: () => cut.abort() });
  await expect(aborted).rejects.toThrow();
  const folders = () => readdirSync(`${node.jobRoot}/jobs`).toSorted();
  expect(folders()).toEqual(
    [`${first}-join`, `${first}-join.failed-1`, `${first}-late`, `${first}-prepare`, 'forget-member-1'].toSorted(),
  );

  await run(session, job('true', { id: `${second}-prepare`, operation: second }));
  await run(session, job('true', { id: `${second}-join`, operation: second }));
  const kept = [`${second}-join`, `${second}-prepare`, 'forget-member-1'];
  expect(folders()).toEqual([...kept, `${first}-late`].toSorted());

  await cancelJob(session, `${first}-late`, node.jobRoot);
  await run(session, job('true', { id: `${second}-join`, operation: second }));
  expect(folders(), 'a job whose unit is gone without an exit code').toEqual(kept.toSorted());
});

test('a look at a job is one short line of sudo', async () => {
  const session = await login();
  await run(session, job('sleep 0.3'));
  const looks = node.commands.filter((command) => command.includes('sh -s'));
  expect(looks.length).toBeGreaterThan(0);
  for (const look of looks) expect(look).toMatch(/^sudo -n sh -s -- \S+ op1-prepare 0 65536 [\d.]+ 1048576$/);
  const scripts = node.commands.filter((command) => command.startsWith('sudo') && command.length > 300);
  expect(scripts, 'only what starts the job and stores its script has a script as argument').toHaveLength(3);
});
