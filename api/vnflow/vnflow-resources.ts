import { VnflowError } from '../../domain/problems.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { openApiDocument } from '../openapi/document.ts';
import { vnfInstanceOf, vnfLcmOpOccOf } from '../vnflcm/lookup.ts';
import { backupsOf } from './backups.ts';
import { clusterAnswer } from './cluster-answer.ts';
import { eventsOf } from './events.ts';
import { hostKeyResources } from './host-keys.ts';
import { kubeconfigEndpoint } from './kubeconfig.ts';
import { PlanRequest, planAnswer, VnfdPlanRequest, vnfdPlanAnswer } from './plan-answer.ts';
import { registryCaOf } from './registry-ca.ts';
import { stepControlResources } from './step-controls.ts';
import { stepResources } from './step-log.ts';
import { timelineOf } from './timeline.ts';

/** `/vnflow/v1`: what SOL003 does not have. */
export function vnflowResources(context: ApiContext): Record<string, Endpoints> {
  // It takes a tenth of a second to make, and never changes.
  let document: ReturnType<typeof openApiDocument> | undefined;
  const openApi = () => {
    document ??= openApiDocument(context.endpoint);
    return document;
  };
  return {
    ...stepControlResources(context),
    ...hostKeyResources(context),
    ...stepResources(context),
    '/vnf_lcm_op_occs/:id/timeline': {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: await timelineOf(context, await vnfLcmOpOccOf(context, request)),
      })),
    },
    '/vnf_lcm_op_occs/:id/events': {
      GET: withoutBody(async (request) => {
        const { id } = await vnfLcmOpOccOf(context, request);
        return { status: 200, json: await eventsOf(context, id, request) };
      }),
    },
    '/vnf_instances/:id/plan': {
      POST: withBody(PlanRequest, async (request, body) => ({
        status: 200,
        json: await planAnswer(context, await vnfInstanceOf(context, request), body),
      })),
    },
    '/vnf_instances/:id/backups': {
      GET: withoutBody(async (request) => {
        const { id } = await vnfInstanceOf(context, request);
        return { status: 200, json: await backupsOf(context, id) };
      }),
    },
    '/vnf_instances/:id/registry/ca': {
      GET: withoutBody(async (request) => {
        const { id } = await vnfInstanceOf(context, request);
        return { status: 200, json: await registryCaOf(context, id) };
      }),
    },
    '/vnf_instances/:id/cluster': {
      GET: withoutBody(async (request) => ({
        status: 200,
        json: await clusterAnswer(context, await vnfInstanceOf(context, request), {
          look: readFlag(request.query, 'look'),
        }),
      })),
    },
    '/vnf_instances/:id/kubeconfig': { POST: kubeconfigEndpoint(context) },
    '/plan': {
      POST: withBody(VnfdPlanRequest, async ({ caller }, body) => ({
        status: 200,
        json: await vnfdPlanAnswer(context, caller.tenant, body),
      })),
    },
    '/openapi.json': { GET: withoutBody(async () => ({ status: 200, json: openApi() })) },
  };
}

/** @throws VnflowError BAD_REQUEST when the value is neither `true` nor `false` */
function readFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new VnflowError('BAD_REQUEST', { detail: `${name}: must be true or false.` });
}
