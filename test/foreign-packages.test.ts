import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../api/vnfpkgm/zip-of.ts';
import { packageFolders, preparedFiles } from './testing/foreign-checkout.ts';
import { type ForeignRequest, foreignRequest, NETWORK } from './testing/foreign-request.ts';
import { createInstance, operationOf, type System, settled, startSystem } from './testing/system.ts';

/**
 * A checkout of a repository with packages. The test packs and onboards every package in it, makes an instance of those
 * that are made of servers, and prints a table of the results. It fetches nothing.
 */
const CHECKOUT = process.env['VNFLOW_FOREIGN_PACKAGES'];
const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let system: System;
beforeAll(async () => {
  if (CHECKOUT !== undefined) system = await startSystem({ allowPackageCode: true });
}, 90_000);
afterAll(() => system?.stop());

it.skipIf(CHECKOUT === undefined)(
  'packages that we did not write are onboarded and instantiated, or refused with a reason',
  async () => {
    const root = path.resolve(CHECKOUT ?? '');
    const folders = packageFolders(root);
    const count = { onboarded: 0, instantiated: 0, tried: 0 };
    for (const folder of folders) {
      const { onboarding, instance } = await tryPackage(preparedFiles(folder, root));
      if (onboarding.state === 'ONBOARDED') count.onboarded += 1;
      if (instance?.state === 'COMPLETED') count.instantiated += 1;
      if (instance !== undefined && instance.state !== '-') count.tried += 1;
      const states = `${onboarding.state.padEnd(10)} ${(instance?.state ?? '-').padEnd(11)}`;
      const details = [onboarding.detail, instance?.detail].filter(Boolean).map((text) => `\n${' '.repeat(23)}${text}`);
      process.stdout.write(`${states} ${path.relative(root, folder) || '.'}${details.join('')}\n`);
    }
    process.stdout.write(
      `${count.onboarded} of ${folders.length} packages were onboarded, ${count.instantiated} of ${count.tried} instantiated.\n`,
    );
    expect(folders.length).toBeGreaterThan(0);
  },
  60 * 60_000,
);

/** A row of the table: a state, and the reason for it. */
interface Result {
  readonly state: string;
  readonly detail: string;
}

async function tryPackage(
  files: ReadonlyMap<string, Buffer>,
): Promise<{ readonly onboarding: Result; readonly instance?: Result }> {
  const { data: created } = await system.http.post(PACKAGES, {});
  const item = `${PACKAGES}/${created.id}`;
  const answer = await system.http.put(`${item}/package_content`, Buffer.from(await zipOf([...files].sort())), {
    headers: { 'Content-Type': 'application/zip', Accept: 'application/json' },
  });
  expect(answer.status, JSON.stringify(answer.data)).toBeLessThan(500);
  try {
    if (answer.status !== 202) return { onboarding: { state: 'refused', detail: answer.data.detail } };
    const { vnfdId, onboardingState } = (await system.http.get(item)).data;
    const instance = await tryInstance(vnfdId, files);
    return { onboarding: { state: onboardingState, detail: '' }, instance };
  } finally {
    await system.http.patch(item, { operationalState: 'DISABLED' });
    await system.http.delete(item);
  }
}

async function tryInstance(vnfdId: string, files: ReadonlyMap<string, Buffer>): Promise<Result> {
  const request = foreignRequest(files, {
    authUrl: system.simulator.authUrl,
    subnetId: Object.values(system.simulator.cloud.state.subnets).find(({ networkId }) => networkId === NETWORK)?.id,
  });
  if (typeof request === 'string') return { state: '-', detail: request };
  register(request);
  const id = await createInstance(system.http, vnfdId);
  const resource = `/vnflcm/v2/vnf_instances/${id}`;
  const answer = await system.http.post(`${resource}/instantiate`, request.body);
  const result = answer.status === 202 ? await resultOf(operationOf(answer)) : resultOfRefusal(answer.data);
  if (answer.status === 202) await end(resource, operationOf(answer), result.state);
  await system.http.delete(resource);
  return result;
}

async function resultOf(operation: string): Promise<Result> {
  const { operationState, error } = await settled(system.http, operation, { timeoutMs: 120_000 });
  return { state: operationState, detail: error === undefined ? '' : [error.code, error.detail, error.seen].join(' ') };
}

function resultOfRefusal({ code, detail }: { readonly code: string; readonly detail: string }): Result {
  return { state: 'refused', detail: `${code} ${detail}` };
}

/** Leaves nothing behind for the next package. */
async function end(resource: string, operation: string, state: string): Promise<void> {
  if (state === 'FAILED_TEMP') {
    await system.http.post(`${operation}/rollback`, {});
    const { operationState } = await settled(system.http, operation);
    if (operationState !== 'ROLLED_BACK') await system.http.post(`${operation}/fail`, {});
  }
  if (state !== 'COMPLETED') return;
  const terminated = await system.http.post(`${resource}/terminate`, { terminationType: 'FORCEFUL' });
  await settled(system.http, operationOf(terminated));
}

/** A person would register the images and flavors of a package before using it. */
function register({ imageNames, flavorNames }: ForeignRequest): void {
  const { images, flavors } = system.simulator.cloud.state;
  addMissing(images, imageNames);
  addMissing(flavors, flavorNames);
}

/** Adds copies of the first thing under other names. */
function addMissing<T extends { id: string; name: string }>(things: Record<string, T>, names: readonly string[]): void {
  const [known] = Object.values(things);
  for (const name of names) {
    if (known === undefined || Object.values(things).some((thing) => thing.name === name)) continue;
    const id = randomUUID();
    things[id] = { ...known, id, name };
  }
}
