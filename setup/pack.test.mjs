import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npm } from './npm.mjs';
import { PROJECT } from './paths.mjs';

/** As `npm install -g` leaves it, with the dependencies of this checkout instead of those of the registry. */
describe('the package that npm pack makes', () => {
  let place;
  let installed;
  let vnflow;
  beforeAll(async () => {
    place = realpathSync(mkdtempSync(path.join(tmpdir(), 'vnflow-pack-')));
    await npm(process.execPath, ['pack', '--pack-destination', place], { cwd: PROJECT, env: process.env });
    const [tarball = ''] = readdirSync(place);
    execFileSync('tar', ['xzf', path.join(place, tarball), '-C', place]);
    installed = path.join(place, 'prefix', 'lib', 'node_modules', 'vnflow');
    mkdirSync(path.dirname(installed), { recursive: true });
    cpSync(path.join(place, 'package'), installed, { recursive: true });
    symlinkSync(path.join(PROJECT, 'node_modules'), path.join(installed, 'node_modules'), 'dir');
    const { VNFM_URL: _url, OS_CLOUD: _cloud, ...env } = process.env;
    vnflow = (...args) =>
      spawnSync(process.execPath, [path.join(installed, 'bin', 'vnflow.mjs'), ...args], {
        cwd: place,
        env: { ...env, HOME: place, XDG_CACHE_HOME: '' },
        encoding: 'utf8',
      });
  }, 120_000);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('runs outside of the repository, from a copy that later runs use again', () => {
    const first = vnflow('ops', '--data', place);
    expect([first.status, first.stderr]).toEqual([1, expect.stringContaining(`vnflow is not up on ${place}`)]);
    const copies = path.join(place, '.cache', 'vnflow');
    const names = readdirSync(copies);
    expect(names).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\+[0-9a-f]{12}/)]);
    expect(vnflow('token', '--data', place).status).toBe(1);
    expect(readdirSync(copies)).toEqual(names);
  });

  it('has the commands of operators, the samples and the pages, and neither tests nor the simulator', () => {
    expect(vnflow('pack', path.join(installed, 'samples', 'plain'), '-o', path.join(place, 'plain.zip')).status).toBe(
      0,
    );
    expect(existsSync(path.join(place, 'plain.zip'))).toBe(true);
    expect(existsSync(path.join(installed, 'docs', 'errors.md'))).toBe(true);
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules'),
    );
    expect(files.filter((file) => /\.test\.|^simulator|^test\/|__pycache__/.test(file))).toEqual([]);
    expect(vnflow('simulator').stderr).toContain('no simulated OpenStack');
  });

  it('leaves the checkout as it was', () => {
    expect(existsSync(path.join(PROJECT, 'build.json'))).toBe(false);
  });
});
