import type { Decision } from '../../domain/operation/state.ts';
import { VnflowError } from '../../domain/problems.ts';
import { CancelMode } from '../../domain/sol-requests.ts';
import { findOperation, listOperations } from '../../store/operations.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoint, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { solListTime, solTime } from '../http/times.ts';
import { listAnswer } from '../query/list-answer.ts';
import { controlOperation } from '../vnflcm/control-operation.ts';
import { vnfLcmOpOccOf } from '../vnflcm/lookup.ts';
import { instancesOf, viewerOf } from '../vnflcm/shown-to.ts';
import { withWaitingSteps } from '../vnflcm/waiting-steps.ts';
import { vnfLcmOpOccSelectors, vnfLcmOpOccView } from './vnf-lcm-op-occ-view.ts';

/** `/vnf_lcm_op_occs`: show, list, retry, rollback, fail, cancel. */
export function vnfLcmOpOccResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint, limits } = context;
  return {
    '/vnf_lcm_op_occs': {
      GET: withoutBody(async (request) => {
        const rows = await listOperations(db, request.caller.tenant);
        const viewer = await viewerOf(context, request.caller, instancesOf(rows));
        return listAnswer(
          rows.map((row) => vnfLcmOpOccView(row, endpoint, { viewer, time: solListTime })),
          request,
          { selectors: vnfLcmOpOccSelectors, pageSize: limits.pageSize, url: `${endpoint}${request.path}` },
        );
      }),
    },
    '/vnf_lcm_op_occs/:id': {
      GET: withoutBody(async (request) => {
        const row = await vnfLcmOpOccOf(context, request);
        const viewer = await viewerOf(context, request.caller, instancesOf([row]));
        const json = vnfLcmOpOccView(await withWaitingSteps(context, row), endpoint, { viewer, time: solTime });
        return { status: 200, json };
      }),
    },
    '/vnf_lcm_op_occs/:id/retry': { POST: control(context, 'retry') },
    '/vnf_lcm_op_occs/:id/rollback': { POST: control(context, 'rollback') },
    '/vnf_lcm_op_occs/:id/fail': { POST: failAndShow(context) },
    '/vnf_lcm_op_occs/:id/cancel': {
      POST: withBody(CancelMode, async (request, { cancelMode }) => {
        const by = request.caller.userName;
        await controlOperation(context, await vnfLcmOpOccOf(context, request), { kind: 'cancel', cancelMode, by });
        return { status: 202 };
      }),
    },
  };
}

/** Answers 202, empty and without Location, as Tacker does. */
function control(context: ApiContext, kind: Decision): Endpoint {
  return withoutBody(async (request) => {
    const by = request.caller.userName;
    await controlOperation(context, await vnfLcmOpOccOf(context, request), { kind, by });
    return { status: 202 };
  });
}

function failAndShow(context: ApiContext): Endpoint {
  return withoutBody(async (request) => {
    const operation = await vnfLcmOpOccOf(context, request);
    const { id } = operation;
    await controlOperation(context, operation, { kind: 'fail', by: request.caller.userName });
    const row = await findOperation(context.db, id);
    if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfLcmOpOcc ${id} not found.` });
    const viewer = await viewerOf(context, request.caller, instancesOf([row]));
    return { status: 200, json: vnfLcmOpOccView(row, context.endpoint, { viewer, time: solTime }) };
  });
}
