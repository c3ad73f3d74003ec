import { VnflowError } from '../../domain/problems.ts';
import { CancelMode } from '../../domain/sol-requests.ts';
import { findOperation, listOperations } from '../../store/operations.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { listAnswer } from '../query/list-answer.ts';
import { vnfLcmOpOccSelectors } from '../v2/vnf-lcm-op-occ-view.ts';
import { controlOperation } from '../vnflcm/control-operation.ts';
import { vnfLcmOpOccOf } from '../vnflcm/lookup.ts';
import { instancesOf, viewerOf } from '../vnflcm/shown-to.ts';
import { withWaitingSteps } from '../vnflcm/waiting-steps.ts';
import { VnfLcmOpOccV1 } from './answers.ts';
import { pageSizeOf } from './page-size.ts';
import { vnfLcmOpOccUrl, vnfLcmOpOccView } from './vnf-lcm-op-occ-view.ts';

const SELECTORS = {
  ...vnfLcmOpOccSelectors,
  attributes: [...Object.keys(VnfLcmOpOccV1.shape), ...vnfLcmOpOccSelectors.excludedByDefault],
};

/** `/vnf_lcm_op_occs`: show, list, retry, rollback, fail, cancel. */
export function vnfLcmOpOccResources(context: ApiContext): Record<string, Endpoints> {
  const { db, endpoint } = context;
  return {
    '/vnf_lcm_op_occs': {
      GET: withoutBody(async (request) => {
        const rows = await listOperations(db, request.caller.tenant);
        const viewer = await viewerOf(context, request.caller, instancesOf(rows));
        return listAnswer(
          rows.map((row) => vnfLcmOpOccView(row, endpoint, viewer)),
          request,
          { selectors: SELECTORS, pageSize: pageSizeOf(context, request), url: `${endpoint}${request.path}` },
        );
      }),
    },
    '/vnf_lcm_op_occs/:id': {
      GET: withoutBody(async (request) => {
        const row = await vnfLcmOpOccOf(context, request);
        const viewer = await viewerOf(context, request.caller, instancesOf([row]));
        return { status: 200, json: vnfLcmOpOccView(await withWaitingSteps(context, row), endpoint, viewer) };
      }),
    },
    '/vnf_lcm_op_occs/:id/retry': {
      POST: withoutBody(async (request) => {
        const by = request.caller.userName;
        await controlOperation(context, await vnfLcmOpOccOf(context, request), { kind: 'retry', by });
        return { status: 202 };
      }),
    },
    '/vnf_lcm_op_occs/:id/rollback': {
      POST: withoutBody(async (request) => {
        const operation = await vnfLcmOpOccOf(context, request);
        const { id } = operation;
        await controlOperation(context, operation, { kind: 'rollback', by: request.caller.userName });
        return { status: 202, headers: { Location: vnfLcmOpOccUrl(endpoint, id) } };
      }),
    },
    '/vnf_lcm_op_occs/:id/fail': {
      POST: withoutBody(async (request) => {
        const operation = await vnfLcmOpOccOf(context, request);
        const { id } = operation;
        await controlOperation(context, operation, { kind: 'fail', by: request.caller.userName });
        const row = await findOperation(db, id);
        if (!row) throw new VnflowError('NOT_FOUND', { detail: `VnfLcmOpOcc ${id} not found.` });
        const viewer = await viewerOf(context, request.caller, instancesOf([row]));
        return { status: 200, json: vnfLcmOpOccView(row, endpoint, viewer) };
      }),
    },
    '/vnf_lcm_op_occs/:id/cancel': {
      POST: withBody(CancelMode, async (request, { cancelMode }) => {
        const by = request.caller.userName;
        await controlOperation(context, await vnfLcmOpOccOf(context, request), { kind: 'cancel', cancelMode, by });
        return { status: 202 };
      }),
    },
  };
}
