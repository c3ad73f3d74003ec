import { randomUUID } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import {
  CreateVnfRequest,
  HealVnfRequest,
  InstantiateVnfRequest,
  ScaleVnfRequest,
  TerminateVnfRequest,
} from '../../domain/sol-requests.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import { deleteIdleVnfInstance } from '../../store/lcm-requests.ts';
import { secretName } from '../../store/secrets.ts';
import { findVnfInstance, insertVnfInstance, listVnfInstances } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import { checkIdle, checkInstantiationState, startOperation } from './lcm-operation.ts';
import { vnfInstanceOf } from './lookup.ts';
import { healPlan } from './prepare-heal.ts';
import { prepareInstantiate } from './prepare-instantiate.ts';
import { prepareScale } from './prepare-scale.ts';
import { notUsable, usablePackage } from './usable-package.ts';
import { checkVduVnfcMapping } from './vdu-vnfc-mapping.ts';
import { vnfInstanceSelectors, vnfInstanceUrl, vnfInstanceView } from './vnf-instance-view.ts';

/** `/vnf_instances`: create, list, show, delete, instantiate, scale, heal, terminate. */
export function vnfInstanceResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint, limits } = context;
  return {
    '/vnf_instances': {
      POST: withBody(CreateVnfRequest, (request, body) => create(context, request, body)),
      GET: withoutBody(async (request) =>
        listAnswer(
          (await listVnfInstances(db, request.caller.tenant)).map((row) => vnfInstanceView(row, endpoint)),
          request,
          { selectors: vnfInstanceSelectors, pageSize: limits.pageSize, url: `${endpoint}${request.path}` },
        ),
      ),
    },
    '/vnf_instances/:id': {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: vnfInstanceView(await vnfInstanceOf(context, request), endpoint),
      })),
      DELETE: withoutBody((request) => remove(context, request)),
    },
    '/vnf_instances/:id/instantiate': {
      POST: withBody(InstantiateVnfRequest, async (request, body) => {
        const instance = await vnfInstanceOf(context, request);
        const { params } = await prepareInstantiate(context, instance, body);
        return startOperation(context, instance, { operation: 'INSTANTIATE', params });
      }),
    },
    '/vnf_instances/:id/scale': {
      POST: withBody(ScaleVnfRequest, async (request, body) => {
        const instance = await vnfInstanceOf(context, request);
        await prepareScale(context, instance, body);
        return startOperation(context, instance, { operation: 'SCALE', params: body });
      }),
    },
    '/vnf_instances/:id/heal': {
      POST: withBody(HealVnfRequest, async (request, body) => {
        const instance = await vnfInstanceOf(context, request);
        await healPlan(context, instance, body);
        return startOperation(context, instance, { operation: 'HEAL', params: body });
      }),
    },
    '/vnf_instances/:id/terminate': {
      POST: withBody(TerminateVnfRequest, async (request, body) => {
        const instance = await vnfInstanceOf(context, request);
        await checkIdle(context, instance.id);
        checkInstantiationState(instance, 'INSTANTIATED');
        return startOperation(context, instance, { operation: 'TERMINATE', params: body });
      }),
    },
  };
}

async function create(context: ApiContext, { caller }: ApiRequest, body: CreateVnfRequest): Promise<ApiAnswer> {
  const { db, endpoint } = context;
  const onboarded = await usablePackage(context, caller.tenant, body.vnfdId);
  checkVduVnfcMapping(body.metadata);
  const id = randomUUID();
  try {
    await insertVnfInstance(db, {
      id,
      tenant: caller.tenant,
      name: body.vnfInstanceName,
      description: body.vnfInstanceDescription,
      vnfdId: body.vnfdId,
      packageId: onboarded.id,
      provider: onboarded.provider ?? '',
      productName: onboarded.productName ?? '',
      softwareVersion: onboarded.softwareVersion ?? '',
      vnfdVersion: onboarded.vnfdVersion ?? '',
      metadata: body.metadata,
    });
  } catch (error) {
    if (violatedConstraint(error) === 'reference') throw notUsable(body.vnfdId, 'the package has just been deleted');
    throw error;
  }
  const row = await findVnfInstance(db, id);
  if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${id} not found.` });
  return { status: 201, headers: { Location: vnfInstanceUrl(endpoint, id) }, json: vnfInstanceView(row, endpoint) };
}

async function remove(context: ApiContext, request: ApiRequest): Promise<ApiAnswer> {
  const { id, instantiationState } = await vnfInstanceOf(context, request);
  if (instantiationState === 'NOT_INSTANTIATED') await clearLeftovers(context, id);
  switch (await deleteIdleVnfInstance(context.db, id)) {
    case 'deleted':
      await context.secrets.removeOwnedBy(id);
      return { status: 204 };
    case 'instantiated':
      throw new VnflowError('VNF_INSTANTIATED', { detail: `VnfInstance ${id} is instantiated.` });
    case 'busy':
      throw new VnflowError('VNF_BUSY', { detail: `Other LCM operation of vnfInstance ${id} is in progress.` });
    default:
      throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${id} not found.` });
  }
}

/**
 * An instantiate that was given up (`fail`) may have left a stack in the VIM. Its access stays sealed with the instance until then.
 * @throws VnflowError VNF_BUSY, VNF_LEFTOVERS, or why the VIM could not be asked
 */
async function clearLeftovers(context: ApiContext, id: string): Promise<void> {
  if ((await context.secrets.get(secretName.vimConnectionInfo(id))) === undefined) return;
  await checkIdle(context, id);
  await context.engine.clear(id);
}
