import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { simulatorUser } from '../vnfm/connection.ts';
import { addressLines } from './address-table.ts';
import { lockData } from './data-lock.ts';
import { exportLines } from './export-lines.ts';
import { linkProgram } from './link-programs.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';
import { readUpRecord, type UpRecord, writeUpRecord } from './up-record.ts';

const data = mkdtempSync(path.join(tmpdir(), 'vnflow-up-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const self = identityOf(process.pid) ?? { pid: 1, startedAt: '' };
const record: UpRecord = {
  process: self,
  apiUrl: 'http://127.0.0.1:9890',
  temporal: { address: '127.0.0.1:17233', uiUrl: 'http://127.0.0.1:18233', process: self },
  simulator: {
    url: 'http://127.0.0.1:9891',
    authUrl: 'http://127.0.0.1:9891/identity/v3',
    bastion: { host: '127.0.0.1', port: 9892, user: 'bastion' },
    proxyUrl: 'http://user1:password1@192.0.2.80:3128',
    speed: 8,
    process: self,
  },
};

describe('a process', () => {
  it('is identified by its id and the time of its start: a reused id is another process', () => {
    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, startedAt: 'another time' })).toBe(false);
    expect(identityOf(2 ** 22 + 1)).toBeUndefined();
  });

  it('is killed when it ignores SIGTERM', async () => {
    const child = spawn(process.execPath, [
      '-e',
      'process.on("SIGTERM", () => {}); console.log("on"); setInterval(() => {}, 1000)',
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const identity = identityOf(child.pid ?? 0) ?? { pid: 0, startedAt: '' };
    await stopProcess(identity, 200);
    expect(isAlive(identity)).toBe(false);
  });
});

describe('the data directory', () => {
  it('allows one `vnflow up` at a time, and another one later, even after a kill -9', () => {
    const unlock = lockData(data);
    expect(() => lockData(data)).toThrow(`already up on ${data} (process ${process.pid})`);
    unlock();
    writeFileSync(path.join(data, 'up.lock'), JSON.stringify({ ...self, startedAt: 'before the kill -9' }));
    lockData(data)();
  });

  it('stores the record of `up` in a file that only its owner can read', () => {
    writeUpRecord(data, record);
    expect(readUpRecord(data)).toEqual(record);
    expect(statSync(path.join(data, 'up.json')).mode & 0o077).toBe(0);
    expect(readUpRecord('/nonexistent')).toBeUndefined();
  });
});

describe('vnflow env', () => {
  const user = simulatorUser('http://127.0.0.1:9891/identity/v3');

  it('prints the variables that openstack, curl, temporal and ssh -J read', () => {
    const lines = exportLines(record, { user, token: 'abc' }).join('\n');
    const print =
      'echo "$OS_AUTH_URL $OS_USERNAME/$OS_PASSWORD@$OS_PROJECT_NAME $VNFM_URL $VNFM_TOKEN $TEMPORAL_ADDRESS $TEMPORAL_UI $BASTION $NODE_PROXY"';
    expect(execFileSync('sh', ['-c', `${lines}\n${print}`], { encoding: 'utf8' }).trim()).toBe(
      'http://127.0.0.1:9891/identity/v3 nfv_user/devstack@nfv http://127.0.0.1:9890 abc 127.0.0.1:17233 http://127.0.0.1:18233 bastion@127.0.0.1:9892 http://user1:password1@192.0.2.80:3128',
    );
  });

  it('has the simulator, the bastion of a real cloud, and the downloaded temporal on PATH, once', () => {
    const program = path.join(data, 'temporal-9.9.9');
    writeFileSync(program, '#!/bin/sh\necho temporal 9.9.9\n', { mode: 0o700 });
    const programs = linkProgram(data, 'temporal', program);
    const run = (given: UpRecord, command: string) => {
      const lines = exportLines(given, { user: undefined, token: undefined }).join('\n');
      return execFileSync('sh', ['-c', `${lines}\n${lines}\n${command}`], { encoding: 'utf8' }).trim();
    };
    expect(run({ ...record, programs }, 'echo "$SIMULATOR_URL"; temporal')).toBe(
      'http://127.0.0.1:9891\ntemporal 9.9.9',
    );
    expect(run({ ...record, programs }, `echo "$PATH" | tr : '\\n' | grep -c '${programs}'`)).toBe('1');
    const real = {
      process: self,
      apiUrl: 'http://127.0.0.1:9890',
      bastion: { host: 'jump.example', port: 22, user: 'ops' },
    };
    expect(run(real, 'echo "$BASTION-$SIMULATOR_URL"')).toBe('ops@jump.example:22-');
    expect(addressLines(real).join()).toContain('ops@jump.example:22');
  });

  it('quotes values, so that the shell runs nothing in them', () => {
    const [line = ''] = exportLines(
      { process: self, apiUrl: "http://x/'; echo ran; '$(echo ran)" },
      { user: undefined, token: undefined },
    );
    expect(execFileSync('sh', ['-c', `${line}\necho "$VNFM_URL"`], { encoding: 'utf8' })).toBe(
      "http://x/'; echo ran; '$(echo ran)\n",
    );
  });
});

it('lists the addresses of all parts, and leaves out parts that do not run', () => {
  expect(addressLines(record).map((line) => line.split(/ {2,}/)[0])).toEqual([
    'WHAT',
    'API',
    'Temporal UI',
    'Waiting',
    'Temporal',
    'OpenStack',
    'Bastion',
  ]);
  expect(
    addressLines({ process: self, temporal: { address: 't:7233' } }).map((line) => line.split(/ {2,}/)[0]),
  ).toEqual(['WHAT', 'Temporal']);
});
