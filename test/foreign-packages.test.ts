import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../api/vnfpkgm/zip-of.ts';
import { startTestApi, type TestApi } from './testing/api/test-api.ts';

/**
 * A checkout of a repository with packages. The test packs and onboards every package in it, and prints a table of the
 * results. It fetches nothing.
 */
const CHECKOUT = process.env['VNFLOW_FOREIGN_PACKAGES'];
const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let test: TestApi;
beforeAll(async () => {
  if (CHECKOUT !== undefined) test = await startTestApi({ limits: { packageBytes: 1024 ** 3 } });
});
afterAll(() => test?.stop());

it.skipIf(CHECKOUT === undefined)(
  'packages that we did not write are onboarded, or refused with a reason',
  async () => {
    const root = path.resolve(CHECKOUT ?? '');
    const folders = packageFolders(root);
    const rows: string[] = [];
    let onboarded = 0;
    for (const folder of folders) {
      const { state, detail } = await onboard(folder);
      if (state === 'ONBOARDED') onboarded += 1;
      rows.push(`${state.padEnd(10)} ${path.relative(root, folder) || '.'}\n${' '.repeat(11)}${detail}`);
    }
    process.stdout.write(`${rows.join('\n')}\n${onboarded} of ${folders.length} packages were onboarded.\n`);
    expect(folders.length).toBeGreaterThan(0);
  },
  30 * 60_000,
);

async function onboard(folder: string): Promise<{ readonly state: string; readonly detail: string }> {
  const files = filesOf(folder);
  for (const common of commonFolders(folder, files)) {
    for (const [name, content] of filesOf(common)) if (!files.has(name)) files.set(name, content);
  }
  const { json: created } = await test.call('POST', PACKAGES, { json: {} });
  const answer = await test.call('PUT', `${PACKAGES}/${created.id}/package_content`, {
    body: new Uint8Array(await zipOf([...files].sort())),
    headers: { 'Content-Type': 'application/zip' },
  });
  expect(answer.status, `${folder}: ${answer.text}`).toBeLessThan(500);
  const { json } = await test.call('GET', `${PACKAGES}/${created.id}`);
  await test.call('PATCH', `${PACKAGES}/${created.id}`, { json: { operationalState: 'DISABLED' } });
  await test.call('DELETE', `${PACKAGES}/${created.id}`);
  const detail = answer.status === 202 ? `${json.vnfProductName} ${json.vnfdId}` : answer.json.detail;
  return { state: answer.status === 202 ? json.onboardingState : 'refused', detail };
}

/** Folders with TOSCA.meta, and those with one VNFD at their root outside of such a folder. */
function packageFolders(root: string): string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const withMeta = all.filter(({ name }) => name === 'TOSCA.meta').map(({ parentPath }) => path.dirname(parentPath));
  const single = all
    .filter(({ name, parentPath }) => /\.ya?ml$/.test(name) && isVnfd(path.join(parentPath, name)))
    .map(({ parentPath }) => parentPath)
    .filter((folder) => path.basename(folder) !== 'Definitions' && !withMeta.some((other) => isWithin(folder, other)));
  return [...new Set([...withMeta, ...single])].sort();
}

function isVnfd(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return /^tosca_definitions_version:/m.test(text) && /^\s*substitution_mappings:/m.test(text);
}

function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}${path.sep}`);
}

/**
 * Tacker's test packages share files with their neighbours: `common/`, and `common_artifact/` for those without
 * definitions of their own.
 */
function commonFolders(folder: string, files: ReadonlyMap<string, Buffer>): string[] {
  const beside = path.basename(folder) === 'contents' ? path.resolve(folder, '../..') : path.dirname(folder);
  const hasDefinitions = [...files.keys()].some((name) => name.startsWith('Definitions/') || !name.includes('/'));
  return ['common', ...(hasDefinitions ? [] : ['common_artifact'])]
    .map((name) => path.join(beside, name))
    .filter((common) => existsSync(common));
}

function filesOf(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file)];
    }),
  );
}
