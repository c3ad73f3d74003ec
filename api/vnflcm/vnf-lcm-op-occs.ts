import { type Control, isRollbackSupported, refusalOf } from '../../domain/operation-state.ts';
import { VnflowError } from '../../domain/problems.ts';
import { findOperation, listOperations } from '../../store/operations.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiRequest, type Endpoint, type Endpoints, withoutBody } from '../http/endpoint.ts';
import { solListTime, solTime } from '../http/times.ts';
import { listAnswer } from '../query/list-answer.ts';
import { vnfLcmOpOccOf } from './lookup.ts';
import { vnfLcmOpOccSelectors, vnfLcmOpOccView } from './vnf-lcm-op-occ-view.ts';

/** `/vnf_lcm_op_occs`: show, list, retry, rollback, fail. */
export function vnfLcmOpOccResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint, limits } = context;
  return {
    '/vnf_lcm_op_occs': {
      GET: withoutBody(async (request) =>
        listAnswer(
          (await listOperations(db, request.caller.tenant)).map((row) => vnfLcmOpOccView(row, endpoint, solListTime)),
          request,
          { selectors: vnfLcmOpOccSelectors, pageSize: limits.pageSize, url: `${endpoint}${request.path}` },
        ),
      ),
    },
    '/vnf_lcm_op_occs/:id': {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: vnfLcmOpOccView(await vnfLcmOpOccOf(context, request), endpoint, solTime),
      })),
    },
    '/vnf_lcm_op_occs/:id/retry': { POST: control(context, 'retry') },
    '/vnf_lcm_op_occs/:id/rollback': { POST: control(context, 'rollback') },
    '/vnf_lcm_op_occs/:id/fail': { POST: failAndShow(context) },
  };
}

/** 202, empty and without Location, as Tacker. */
function control(context: ApiContext, which: Control): Endpoint {
  return withoutBody(async (request) => {
    await controlOperation(context, request, which);
    return { status: 202 };
  });
}

function failAndShow(context: ApiContext): Endpoint {
  return withoutBody(async (request) => {
    const id = await controlOperation(context, request, 'fail');
    const row = await findOperation(context.db, id);
    if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfLcmOpOcc ${id} not found.` });
    return { status: 200, json: vnfLcmOpOccView(row, context.endpoint, solTime) };
  });
}

async function controlOperation(context: ApiContext, request: ApiRequest, which: Control): Promise<string> {
  const { id, operation, operation_params, operation_state, vnf_instance_id } = await vnfLcmOpOccOf(context, request);
  const rollbackSupported = isRollbackSupported(operation, operation_params);
  const refusal = refusalOf(which, { operation, rollbackSupported }, operation_state);
  if (refusal) throw new VnflowError(refusal.code, { detail: refusal.detail });
  await context.engine.control(which, { vnfInstanceId: vnf_instance_id, vnfLcmOpOccId: id });
  return id;
}
