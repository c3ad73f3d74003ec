import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Vnfm } from './client.ts';
import { Created, type VnfcResource, VnfInstance, VnfPackage, VnfPackages } from './contract.ts';
import { CliFailure } from './failure.ts';

/** VNF packages and instances over SOL003 / SOL005, as the CLI uses them. All throw Refused or CliFailure. */

const INSTANCES = '/vnflcm/v2/vnf_instances';
const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const ONBOARDING_LIMIT_MS = 60_000;

/** Finds the enabled package with this VNFD. @returns its id; undefined when there is none */
export async function findVnfPackage(vnfm: Vnfm, vnfdId: string): Promise<string | undefined> {
  const packages = (await vnfm.request({ method: 'GET', path: PACKAGES })).read(VnfPackages);
  const own = packages.filter(({ operationalState }) => operationalState === 'ENABLED');
  for (const { id, vnfdId: known } of own) {
    // as in Tacker, the list does not contain the vnfdId
    const shown = known ?? (await vnfm.request({ method: 'GET', path: `${PACKAGES}/${id}` })).read(VnfPackage).vnfdId;
    if (shown === vnfdId) return id;
  }
  return undefined;
}

/** Creates a VNF package, uploads the CSAR and waits until it is onboarded. @returns its id */
export async function onboardVnfPackage(vnfm: Vnfm, file: string): Promise<string> {
  const { id } = (await vnfm.request({ method: 'POST', path: PACKAGES, body: {} })).read(Created);
  await vnfm.request({
    method: 'PUT',
    path: `${PACKAGES}/${id}/package_content`,
    body: await readFile(file),
    headers: { 'Content-Type': 'application/zip' },
  });
  await waitUntilOnboarded(vnfm, id);
  return id;
}

/** Waits until the package is onboarded: the API answers the upload before it checks the package. */
async function waitUntilOnboarded(vnfm: Vnfm, id: string): Promise<void> {
  const until = Date.now() + ONBOARDING_LIMIT_MS;
  while (Date.now() < until) {
    const { onboardingState } = (await vnfm.request({ method: 'GET', path: `${PACKAGES}/${id}` })).read(VnfPackage);
    if (onboardingState === 'ONBOARDED') return;
    if (onboardingState === 'CREATED') break;
    await delay(200);
  }
  throw new CliFailure(`VNF package ${id} was uploaded but not waitUntilOnboarded.`);
}

export async function createVnfInstance(
  vnfm: Vnfm,
  instance: { vnfdId: string; vnfInstanceName?: string; vnfInstanceDescription?: string },
): Promise<string> {
  return (await vnfm.request({ method: 'POST', path: INSTANCES, body: instance })).read(Created).id;
}

export async function deleteVnfInstance(vnfm: Vnfm, id: string): Promise<void> {
  await vnfm.request({ method: 'DELETE', path: `${INSTANCES}/${encodeURIComponent(id)}` });
}

/** Lists the servers of an instantiated VNF instance. */
export async function vnfcsOf(vnfm: Vnfm, id: string): Promise<VnfcResource[]> {
  const instance = (await vnfm.request({ method: 'GET', path: `${INSTANCES}/${encodeURIComponent(id)}` })).read(
    VnfInstance,
  );
  return instance.instantiatedVnfInfo?.vnfcResourceInfo ?? [];
}

/** A task resource of a VNF instance (SOL003 5.4) and what is posted to it. */
export interface LcmRequest {
  /** A task of domain/operations.ts, for example `heal`. */
  readonly task: string;
  readonly body: unknown;
}

/** Starts an operation. @returns its id */
export async function startOperation(vnfm: Vnfm, vnfInstanceId: string, { task, body }: LcmRequest): Promise<string> {
  const path = `${INSTANCES}/${encodeURIComponent(vnfInstanceId)}/${task}`;
  const { location } = await vnfm.request({ method: 'POST', path, body });
  const id = location?.split('/').at(-1);
  if (!id) throw new CliFailure(`POST ${path} was accepted, but the answer has no Location header with the operation.`);
  return id;
}
