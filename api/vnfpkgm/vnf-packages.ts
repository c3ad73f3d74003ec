import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { VnflowError } from '../../domain/problems.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import {
  deleteVnfPackage,
  insertVnfPackage,
  listVnfPackages,
  updateVnfPackage,
  type VnfPackageWithUsage,
} from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listVnfPackagesAnswer } from './list-vnf-packages.ts';
import { vnfPackageOf } from './lookup.ts';
import { artifactEndpoint, contentEndpoint, vnfdEndpoint } from './package-downloads.ts';
import { CreateVnfPkgInfoRequest, VnfPkgInfoModifications } from './package-requests.ts';
import type { PackageUploads } from './package-uploads.ts';
import { uploadFromUriEndpoint } from './upload-from-uri.ts';
import { uploadEndpoint } from './upload-package-content.ts';
import { vnfPackagePath, vnfPackageView } from './vnf-package-view.ts';

/** `/vnf_packages`: create, list, show, update, delete, content, VNFD, artifacts. */
export function vnfPackageResources(context: ApiContext, uploads: PackageUploads): Record<string, Endpoints> {
  const { db } = context;
  return {
    '/vnf_packages': {
      POST: withBody(CreateVnfPkgInfoRequest, ({ caller }, body) => create(context, caller.tenant, body)),
      GET: withoutBody(async (request) =>
        listVnfPackagesAnswer(await listVnfPackages(db, request.caller.tenant), request),
      ),
    },
    '/vnf_packages/:id': {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: vnfPackageView(await vnfPackageOf(context, request)),
      })),
      PATCH: withBody(VnfPkgInfoModifications, async (request, body) =>
        update(context, await vnfPackageOf(context, request), body),
      ),
      DELETE: withoutBody(async (request) => {
        const answer = await remove(context, request);
        uploads.freeSpace();
        return answer;
      }),
    },
    '/vnf_packages/:id/package_content': { PUT: uploadEndpoint(context, uploads), GET: contentEndpoint(context) },
    '/vnf_packages/:id/package_content/upload_from_uri': { POST: uploadFromUriEndpoint(context, uploads) },
    '/vnf_packages/:id/vnfd': { GET: vnfdEndpoint(context) },
    '/vnf_packages/:id/artifacts/*path': { GET: artifactEndpoint(context) },
  };
}

async function create(
  { db }: ApiContext,
  tenant: string,
  { userDefinedData = {} }: CreateVnfPkgInfoRequest,
): Promise<ApiAnswer> {
  const id = randomUUID();
  await insertVnfPackage(db, { id, tenant, userDefinedData });
  const self = vnfPackagePath(id);
  return {
    status: 201,
    headers: { Location: self },
    json: {
      id,
      onboardingState: 'CREATED',
      operationalState: 'DISABLED',
      usageState: 'NOT_IN_USE',
      userDefinedData,
      _links: { self: { href: self }, packageContent: { href: `${self}/package_content` } },
    },
  };
}

/** Answers with the changed members only. */
async function update(
  { db }: ApiContext,
  found: VnfPackageWithUsage,
  { operationalState, userDefinedData }: VnfPkgInfoModifications,
): Promise<ApiAnswer> {
  if (operationalState === undefined && userDefinedData === undefined) {
    throw new VnflowError('BAD_REQUEST', { detail: 'The body must have operationalState or userDefinedData.' });
  }
  if (operationalState !== undefined) checkStateChange(found, operationalState);
  const merged = userDefinedData && mergePatched(found.userDefinedData, userDefinedData);
  if (merged && isDeepStrictEqual(merged, found.userDefinedData)) {
    throw new VnflowError('CONFLICT', { detail: `userDefinedData: VNF package ${found.id} already has these values.` });
  }
  await updateVnfPackage(db, found.id, {
    ...(operationalState === undefined ? {} : { operationalState }),
    ...(merged === undefined ? {} : { userDefinedData: merged }),
  });
  return {
    status: 200,
    json: {
      ...(operationalState === undefined ? {} : { operationalState }),
      ...(userDefinedData === undefined
        ? {}
        : { userDefinedData: changedValues(found.userDefinedData, userDefinedData) }),
    },
  };
}

/** The pairs of a patch that change something. */
function changedValues(present: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(patch).filter(([name, value]) => !isDeepStrictEqual(value, present[name] ?? null)),
  );
}

/** RFC 7396, one level deep: null removes a key. */
function mergePatched(present: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...present, ...patch }).filter(([, value]) => value !== null));
}

function checkStateChange(found: VnfPackageWithUsage, wanted: 'ENABLED' | 'DISABLED'): void {
  if (found.onboardingState !== 'ONBOARDED') {
    throw new VnflowError('BAD_REQUEST', {
      detail: `operationalState: VNF package ${found.id} is ${found.onboardingState}; its state can be changed once it is ONBOARDED.`,
    });
  }
  if (found.operationalState === wanted) {
    throw new VnflowError('CONFLICT', { detail: `operationalState: VNF package ${found.id} is ${wanted} already.` });
  }
}

async function remove(context: ApiContext, request: ApiRequest): Promise<ApiAnswer> {
  const { id, operationalState, usageState } = await vnfPackageOf(context, request);
  if (operationalState === 'ENABLED') {
    throw new VnflowError('CONFLICT', { detail: `VNF package ${id} is ENABLED; set operationalState DISABLED first.` });
  }
  if (usageState === 'IN_USE') throw createInUseProblem(id);
  try {
    await deleteVnfPackage(context.db, id);
    await context.secrets.removeOwnedBy(id);
  } catch (error) {
    if (violatedConstraint(error) === 'reference') throw createInUseProblem(id);
    throw error;
  }
  return { status: 204 };
}

function createInUseProblem(id: string): VnflowError {
  return new VnflowError('CONFLICT', { detail: `VNF package ${id} is IN_USE; delete its VNF instances first.` });
}
