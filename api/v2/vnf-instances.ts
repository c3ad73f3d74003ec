import { LCM_OPERATIONS, type Operation, type RequestOf, TASKS } from '../../domain/operations.ts';
import { CreateVnfRequest } from '../../domain/sol-requests.ts';
import { listVnfInstances } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiRequest, type Endpoint, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import { beginOperation } from '../vnflcm/begin-operation.ts';
import { createVnfInstance } from '../vnflcm/create-vnf-instance.ts';
import { deleteVnfInstance } from '../vnflcm/delete-vnf-instance.ts';
import { vnfInstanceOf } from '../vnflcm/lookup.ts';
import { viewerOf } from '../vnflcm/shown-to.ts';
import { vnfInstanceSelectors, vnfInstanceUrl, vnfInstanceView } from './vnf-instance-view.ts';
import { vnfLcmOpOccUrl } from './vnf-lcm-op-occ-view.ts';

/** `/vnf_instances`: create, list, show, change, delete, instantiate, scale, heal, terminate. */
export function vnfInstanceResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint, limits } = context;
  return {
    '/vnf_instances': {
      POST: withBody(CreateVnfRequest, async ({ caller }, body) => {
        const row = await createVnfInstance(context, caller.tenant, body);
        const headers = { Location: vnfInstanceUrl(endpoint, row.id) };
        return {
          status: 201,
          headers,
          json: vnfInstanceView(row, endpoint, await viewerOf(context, caller, [row.id])),
        };
      }),
      GET: withoutBody(async (request) => {
        const rows = await listVnfInstances(db, request.caller.tenant);
        const ids = rows.map(({ id }) => id);
        const viewer = await viewerOf(context, request.caller, ids);
        return listAnswer(
          rows.map((row) => vnfInstanceView(row, endpoint, viewer)),
          request,
          { selectors: vnfInstanceSelectors, pageSize: limits.pageSize, url: `${endpoint}${request.path}` },
        );
      }),
    },
    '/vnf_instances/:id': {
      GET: withoutBody(async (request) => {
        const row = await vnfInstanceOf(context, request);
        const viewer = await viewerOf(context, request.caller, [row.id]);
        return { status: 200, json: vnfInstanceView(row, endpoint, viewer) };
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

/** The request that starts an LCM operation. */
function starts<O extends Operation>(context: ApiContext, operation: O): Endpoint {
  const { request: schema } = LCM_OPERATIONS[operation];
  const start = async (request: ApiRequest, body: RequestOf<O>) => {
    const id = await beginOperation(context, await vnfInstanceOf(context, request), {
      operation,
      body,
      startedBy: request.caller.userName,
    });
    return { status: 202, headers: { Location: vnfLcmOpOccUrl(context.endpoint, id) } };
  };
  return withBody(schema, start);
}
