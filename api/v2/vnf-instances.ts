import { randomUUID } from 'node:crypto';
import { LCM_OPERATIONS, OPERATIONS, type Operation, type RequestOf } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { CreateVnfRequest } from '../../domain/sol-requests.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import { deleteIdleVnfInstance } from '../../store/lcm-requests.ts';
import { secretName } from '../../store/secrets.ts';
import {
  findVnfInstance,
  insertVnfInstance,
  listVnfInstances,
  type VnfInstanceRow,
} from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import { checkIdle, checkInstantiationState, startOperation } from '../vnflcm/lcm-operation.ts';
import { vnfInstanceOf } from '../vnflcm/lookup.ts';
import { healPlan } from '../vnflcm/prepare-heal.ts';
import { prepareInstantiate } from '../vnflcm/prepare-instantiate.ts';
import { prepareScale } from '../vnflcm/prepare-scale.ts';
import { notUsable, usablePackage } from '../vnflcm/usable-package.ts';
import { checkVduVnfcMapping } from '../vnflcm/vdu-vnfc-mapping.ts';
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
    ...Object.fromEntries(OPERATIONS.map((operation) => taskResource(context, operation))),
  };
}

/** Checks everything that can be known before the operation starts. @returns the parameters of the operation */
type Check<O extends Operation> = (
  context: ApiContext,
  instance: VnfInstanceRow,
  body: RequestOf<O>,
) => Promise<Record<string, unknown>>;

const CHECKS: { readonly [O in Operation]: Check<O> } = {
  INSTANTIATE: async (context, instance, body) => (await prepareInstantiate(context, instance, body)).params,
  TERMINATE: async (context, instance, body) => {
    await checkIdle(context, instance.id);
    checkInstantiationState(instance, LCM_OPERATIONS.TERMINATE.needs);
    return body;
  },
  SCALE: async (context, instance, body) => {
    await prepareScale(context, instance, body);
    return body;
  },
  HEAL: async (context, instance, body) => {
    await healPlan(context, instance, body);
    return body;
  },
};

/** The task resource of an LCM operation: its path, and the POST that starts the operation. */
function taskResource<O extends Operation>(context: ApiContext, operation: O): [path: string, Endpoints] {
  const { task, request: schema } = LCM_OPERATIONS[operation];
  const start = async (request: ApiRequest, body: RequestOf<O>) => {
    const instance = await vnfInstanceOf(context, request);
    const params = await CHECKS[operation](context, instance, body);
    return startOperation(context, instance, { operation, params });
  };
  return [`/vnf_instances/:id/${task}`, { POST: withBody(schema, start) }];
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
