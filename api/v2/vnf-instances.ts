import { LCM_OPERATIONS, OPERATIONS, type Operation, type RequestOf } from '../../domain/operations.ts';
import { CreateVnfRequest } from '../../domain/sol-requests.ts';
import { listVnfInstances } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import { beginOperation } from '../vnflcm/begin-operation.ts';
import { createVnfInstance } from '../vnflcm/create-vnf-instance.ts';
import { deleteVnfInstance } from '../vnflcm/delete-vnf-instance.ts';
import { vnfInstanceOf } from '../vnflcm/lookup.ts';
import { vnfInstanceSelectors, vnfInstanceUrl, vnfInstanceView } from './vnf-instance-view.ts';
import { vnfLcmOpOccUrl } from './vnf-lcm-op-occ-view.ts';

/** `/vnf_instances`: create, list, show, delete, instantiate, scale, heal, terminate. */
export function vnfInstanceResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint, limits } = context;
  return {
    '/vnf_instances': {
      POST: withBody(CreateVnfRequest, async ({ caller }, body) => {
        const row = await createVnfInstance(context, caller.tenant, body);
        const headers = { Location: vnfInstanceUrl(endpoint, row.id) };
        return { status: 201, headers, json: vnfInstanceView(row, endpoint) };
      }),
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
      DELETE: withoutBody(async (request) => {
        await deleteVnfInstance(context, await vnfInstanceOf(context, request));
        return { status: 204 };
      }),
    },
    ...Object.fromEntries(OPERATIONS.map((operation) => taskResource(context, operation))),
  };
}

/** The task resource of an LCM operation: its path, and the POST that starts the operation. */
function taskResource<O extends Operation>(context: ApiContext, operation: O): [path: string, Endpoints] {
  const { task, request: schema } = LCM_OPERATIONS[operation];
  const start = async (request: ApiRequest, body: RequestOf<O>) => {
    const id = await beginOperation(context, await vnfInstanceOf(context, request), { operation, body });
    return { status: 202, headers: { Location: vnfLcmOpOccUrl(context.endpoint, id) } };
  };
  return [`/vnf_instances/:id/${task}`, { POST: withBody(schema, start) }];
}
