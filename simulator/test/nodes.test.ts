import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fingerprint } from '../world/nodes/host-keys.ts';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await startTestCloud();
  cloud.machine('worker57', '10.10.0.57');
});
afterEach(() => cloud.stop());

const ssh = (command: string, options = {}) => cloud.ssh('10.10.0.57', command, options);

it('a command over SSH has its own output, errors and exit status, at a floating IP too', async () => {
  cloud.floating.set('172.24.4.3', '10.10.0.57');
  const result = await cloud.ssh('172.24.4.3', 'hostname; echo oops >&2; exit 7');
  expect(result).toEqual({ code: 7, stdout: 'worker57\n', stderr: 'oops\n' });
});

it('a command that reads no input ends although the client leaves its input open', async () => {
  expect(await ssh('echo done', { openInput: true })).toMatchObject({ code: 0, stdout: 'done\n' });
});

it('what the client sends reaches a command behind sudo', async () => {
  await ssh(`sudo -n sh -c 'umask 077; cat > /root/secret'`, { stdin: 'canary' });
  expect(cloud.nodes.node('worker57')?.file('/root/secret')).toBe('canary');
});

it('a shell that reads its script from standard input gets the words after --, and its functions their input', async () => {
  const stdin = 'tell() { cat; echo "$1, $2"; }\ntell "$@" < /dev/null\n';
  expect(await ssh('sudo -n sh -s -- one two', { stdin })).toMatchObject({ code: 0, stdout: 'one, two\n' });
  expect(await ssh('sudo -n sh -s one two', { stdin })).toMatchObject({ code: 0, stdout: 'one, two\n' });
});

it('an ordinary user cannot read what belongs to root', async () => {
  await ssh(`sudo sh -c 'umask 077; echo canary > /root/secret'`);
  const { code, stdout, stderr } = await ssh('cat /root/secret');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('Permission denied');
});

it('a wrong password is refused and noted', async () => {
  await ssh('true');
  await expect(ssh('true', { password: 'wrong' })).rejects.toThrow('All configured authentication methods failed');
  expect(cloud.entries().filter(({ kind }) => kind === 'login-refused')).toMatchObject([
    { where: 'worker57', what: 'ubuntu' },
  ]);
});

it('standard input and environment never show up among the command lines', async () => {
  await ssh(`sudo sh -c 'cat > /root/env; . /root/env; export PASSWORD; hostname'`, { stdin: 'PASSWORD=canary-1\n' });
  const lines = cloud.entries().filter(({ kind }) => kind === 'command');
  expect(lines.some(({ what }) => what.includes('hostname'))).toBe(true);
  expect(JSON.stringify(lines)).not.toContain('canary-1');
});

it('"$@" runs the command that it names', async () => {
  expect((await ssh(`run() { "$@"; }; run printf '%s|' a 'b c'`)).stdout).toBe('a|b c|');
});

it('a unit goes on without its SSH session and its log grows while it runs', async () => {
  await ssh(
    `sudo systemd-run --quiet --collect --unit=job --property=StandardOutput=append:/root/log bash -c 'x=$(echo caught); echo begun; sleep 4000; echo "ended $x" | cat'`,
  );
  expect((await ssh('systemctl is-active job')).stdout).toBe('active\n');
  expect(cloud.nodes.node('worker57')?.file('/root/log')).toBe('begun\n');
  await ssh('sleep 4100');
  expect(cloud.nodes.node('worker57')?.file('/root/log')).toBe('begun\nended caught\n');
  expect(await ssh('systemctl is-active job')).toMatchObject({ code: 3, stdout: 'inactive\n' });
});

it('a unit of a name that is taken is refused', async () => {
  await ssh('sudo systemd-run --quiet --unit=job sleep 100000');
  const { code, stderr } = await ssh('sudo systemd-run --unit=job sleep 1');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Failed to start transient service unit: Unit job.service was already loaded or has a fragment file.\n',
  });
});

it('when the simulator dies a unit goes on with the files of its start, and no second start is visible', async () => {
  const step = 'echo begun\n. ./env\nrm -f env\nsleep 3000\necho "$VALUE" > result\n';
  await ssh(`sudo sh -c 'mkdir -p /var/lib/job; cat > /var/lib/job/run'`, { stdin: `cd /var/lib/job\n${step}` });
  await ssh(`sudo sh -c 'echo VALUE=kept > /var/lib/job/env'`);
  await ssh(
    'sudo systemd-run --quiet --unit=job --description=prepare --property=StandardOutput=append:/var/lib/job/log sh /var/lib/job/run',
  );
  await ssh('sleep 100');
  expect(cloud.nodes.node('worker57')?.file('/var/lib/job/env')).toBeUndefined();
  await cloud.restart();
  await ssh('sleep 3100');
  expect(cloud.nodes.node('worker57')?.file('/var/lib/job/result')).toBe('kept\n');
  expect(cloud.nodes.node('worker57')?.file('/var/lib/job/log')).toBe('begun\n');
  expect(cloud.entries().filter(({ kind }) => kind === 'phase')).toMatchObject([
    { where: 'worker57', what: 'prepare' },
  ]);
});

it('a reboot ends a unit without an exit code', async () => {
  await ssh(`sudo systemd-run --quiet --unit=job bash -c 'sleep 3000; echo 0 > /root/exit'`);
  cloud.nodes.hypervisor.power('server-worker57', 'reboot');
  expect((await ssh('systemctl is-active job')).stdout).toBe('inactive\n');
  await ssh('sleep 3100');
  expect(cloud.nodes.node('worker57')?.file('/root/exit')).toBeUndefined();
});

it('files and the host key outlive the simulator', async () => {
  const keys: string[] = [];
  const hostKey = (key: Buffer) => keys.push(key.toString('base64'));
  await ssh('echo kept > note', { hostKey });
  await cloud.restart();
  expect((await ssh('cat note', { hostKey })).stdout).toBe('kept\n');
  expect(keys[0]).toBe(keys[1]);
});

it('the console names the fingerprint that sshd shows', async () => {
  let key: Buffer = Buffer.alloc(0);
  await ssh('cloud-init status --wait', { hostKey: (shown: Buffer) => (key = shown) });
  const shown = fingerprint({ private: '', public: `ssh-ed25519 ${key.toString('base64')}` });
  expect(cloud.nodes.hypervisor.consoleLog('server-worker57')).toContain(`256 ${shown} root@worker57 (ED25519)`);
});

it('a full disk gives the error message of a full disk', async () => {
  await ssh('true');
  const repair = cloud.nodes.faults.add({ kind: 'disk-full', node: 'worker57' });
  expect((await ssh('cp /etc/hosts note')).stderr).toContain('No space left on device');
  await ssh('true');
  const redirected = await ssh('hostname > note');
  expect(redirected.code).not.toBe(0);
  expect((await ssh('hostname | sudo tee /run/in-memory')).code).toBe(0);
  repair();
  expect((await ssh('cp /etc/hosts note')).code).toBe(0);
});

it('a disk that fills up during a command gives the error message of bash', async () => {
  await ssh(': > note');
  const running = ssh('{ sleep 500; hostname; } >> note');
  await ssh('true');
  const repair = cloud.nodes.faults.add({ kind: 'disk-full' });
  expect((await running).stderr).toBe('bash: /home/ubuntu/note: No space left on device\n');
  repair();
});

it('a command fault strikes as often as its request says', async () => {
  cloud.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'hostname',
    times: 1,
    exitCode: 100,
    stderr: 'mirror down\n',
  });
  expect(await ssh('hostname')).toEqual({ code: 100, stdout: '', stderr: 'mirror down\n' });
  expect(await ssh('hostname')).toMatchObject({ code: 0, stdout: 'worker57\n' });
});

it('a connection that is cut in mid-command gives no exit status', async () => {
  await ssh('true');
  cloud.nodes.faults.add({ kind: 'ssh-reset', commandPrefix: 'sleep', afterSeconds: 10, times: 1 });
  const outcome = await ssh('sleep 100000').catch(() => ({ code: undefined }));
  expect(outcome.code).toBeUndefined();
});

it.skipIf(!existsSync('/usr/bin/ssh'))('OpenSSH reaches a machine through the bastion', async () => {
  await ssh('true');
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-askpass-'));
  const askpass = path.join(directory, 'askpass');
  writeFileSync(askpass, '#!/bin/sh\necho ubuntu\n', { mode: 0o700 });
  const trust = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR'];
  const { host, port, user } = cloud.nodes.bastion;
  const proxy = `ssh ${trust.join(' ')} -p ${port} -W %h:%p ${user}@${host}`;
  const child = spawn('ssh', [...trust, '-o', `ProxyCommand=${proxy}`, 'ubuntu@10.10.0.57', 'hostname; exit 5'], {
    env: { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  rmSync(directory, { recursive: true });
  expect({ code, stdout }).toEqual({ code: 5, stdout: 'worker57\n' });
});
