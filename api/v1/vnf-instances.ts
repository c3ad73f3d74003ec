import { LCM_OPERATIONS, type Operation, TASKS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { listInstantiateParams } from '../../store/instantiate-params.ts';
import { listVims } from '../../store/vims.ts';
import { listVnfInstances, type VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiRequest, type Endpoint, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import type { SelectableResource } from '../query/selectors.ts';
import { beginOperation } from '../vnflcm/begin-operation.ts';
import { createVnfInstance } from '../vnflcm/create-vnf-instance.ts';
import { deleteVnfInstance } from '../vnflcm/delete-vnf-instance.ts';
import { checkInstantiationState } from '../vnflcm/lcm-operation.ts';
import { vnfInstanceOf } from '../vnflcm/lookup.ts';
import { viewerOf } from '../vnflcm/shown-to.ts';
import { VnfInstanceV1 } from './answers.ts';
import { V1_OPERATIONS, type V1RequestOf } from './operations.ts';
import { pageSizeOf } from './page-size.ts';
import { CreateVnfRequestV1 } from './requests.ts';
import { vnfInstanceUrl, vnfInstanceView } from './vnf-instance-view.ts';
import { vnfLcmOpOccUrl } from './vnf-lcm-op-occ-view.ts';

/** `/vnf_instances`: create, list, show, change, delete, instantiate, scale, heal, terminate. */
export function vnfInstanceResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint } = context;
  return {
    '/vnf_instances': {
      POST: withBody(CreateVnfRequestV1, async ({ caller }, body) => {
        const { vnfInstanceName, vnfInstanceDescription, ...rest } = body;
        const row = await createVnfInstance(context, caller.tenant, {
          ...rest,
          vnfInstanceName: vnfInstanceName ?? undefined,
          vnfInstanceDescription: vnfInstanceDescription ?? undefined,
        });
        const [json] = await viewsOf(context, caller, [row]);
        return { status: 201, headers: { Location: vnfInstanceUrl(endpoint, row.id) }, json };
      }),
      GET: withoutBody(async (request) => {
        checkListQuery(request);
        const { caller } = request;
        const views = await viewsOf(context, caller, await listVnfInstances(db, caller.tenant));
        const pageSize = pageSizeOf(context, request);
        return listAnswer(views, request, { selectors: EVERYTHING, pageSize, url: `${endpoint}${request.path}` });
      }),
    },
    '/vnf_instances/:id': {
      GET: withoutBody(async (request) => {
        const [json] = await viewsOf(context, request.caller, [await vnfInstanceOf(context, request)]);
        return { status: 200, json };
      }),
      PATCH: starts(context, 'MODIFY_INFO'),
      DELETE: withoutBody(async (request) => {
        await deleteVnfInstance(context, await vnfInstanceOf(context, request));
        return { status: 204 };
      }),
    },
    ...Object.fromEntries(
      TASKS.map(([operation, task]) => [`/vnf_instances/:id/${task}`, { POST: starts(context, operation) }]),
    ),
  };
}

/**
 * The request that starts an LCM operation: its body is translated into the internal model, and everything else is as
 * in version 2.
 */
function starts<O extends Operation>(context: ApiContext, operation: O): Endpoint {
  const { needs } = LCM_OPERATIONS[operation];
  const { request: schema, translate } = V1_OPERATIONS[operation];
  const start = async (request: ApiRequest, body: V1RequestOf<O>) => {
    const instance = await vnfInstanceOf(context, request);
    if (needs !== undefined) checkInstantiationState(instance, needs);
    const translated = await translate(context, instance, body);
    const id = await beginOperation(context, instance, {
      operation,
      body: translated,
      startedBy: request.caller.userName,
    });
    return { status: 202, headers: { Location: vnfLcmOpOccUrl(context.endpoint, id) } };
  };
  return withBody(schema, start);
}

async function viewsOf(context: ApiContext, caller: Caller, rows: readonly VnfInstanceRow[]) {
  const { db, endpoint } = context;
  const all = rows.map(({ id }) => id);
  const viewer = await viewerOf(context, caller, all);
  const ids = rows.flatMap(({ id, instantiationState }) => (instantiationState === 'INSTANTIATED' ? [id] : []));
  if (ids.length === 0) {
    return rows.map((row) => vnfInstanceView(row, endpoint, { viewer, vims: [], additionalParams: new Map() }));
  }
  const [vims, params] = await Promise.all([listVims(db, caller.tenant), listInstantiateParams(db, ids)]);
  const additionalParams = new Map(
    [...params].map(([id, { additionalParams = {} }]) => [id, additionalParams as Record<string, unknown>]),
  );
  return rows.map((row) => vnfInstanceView(row, endpoint, { viewer, vims, additionalParams }));
}

/** v1 shows every attribute of every instance. */
const EVERYTHING: SelectableResource = {
  excludedByDefault: [],
  mandatory: [],
  attributes: Object.keys(VnfInstanceV1.shape),
};
const LIST_PARAMETERS = ['filter', 'nextpage_opaque_marker', 'all_records'];

/** @throws VnflowError BAD_REQUEST: the list of instances has no attribute selectors in v1 */
function checkListQuery({ query }: ApiRequest): void {
  const unknown = [...query.keys()].find((name) => !LIST_PARAMETERS.includes(name));
  if (unknown === undefined) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `${unknown.slice(0, 40)}: is no query parameter of this list; it has ${LIST_PARAMETERS.join(', ')}.`,
  });
}
