import type { z } from 'zod';
import type { Operation, RequestOf } from '../../domain/operations.ts';
import { ACCEPT_CONTENT_LOSS, IF_UNREADABLE } from '../../domain/vnf-kinds/private-registry/keep-contents.ts';
import { REGISTRY_PARAMETERS } from '../../domain/vnf-kinds/private-registry/parameters.ts';
import { listInstantiateParams } from '../../store/instantiate-params.ts';
import { findDefaultVim } from '../../store/vims.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { createMoveProblem } from '../vnflcm/plan-modification.ts';
import { healView, instantiateView, modificationView } from './request-view.ts';
import {
  HealVnfRequestV1,
  InstantiateVnfRequestV1,
  ScaleVnfRequestV1,
  TerminateVnfRequestV1,
  VnfInfoModificationRequestV1,
} from './requests.ts';
import {
  healRequest,
  instantiateRequest,
  modificationRequest,
  scaleRequest,
  terminateRequest,
} from './translate-request.ts';

interface Requests {
  INSTANTIATE: InstantiateVnfRequestV1;
  TERMINATE: TerminateVnfRequestV1;
  SCALE: ScaleVnfRequestV1;
  HEAL: HealVnfRequestV1;
  MODIFY_INFO: VnfInfoModificationRequestV1;
}
export type V1RequestOf<O extends Operation> = Requests[O];

interface V1Operation<O extends Operation> {
  /** The schema of v1's request body. */
  readonly request: z.ZodType<V1RequestOf<O>>;
  /** The request in the internal model. @throws VnflowError BAD_REQUEST */
  readonly translate: (
    context: ApiContext,
    instance: VnfInstanceRow,
    body: V1RequestOf<O>,
  ) => RequestOf<O> | Promise<RequestOf<O>>;
  /**
   * A request that is stored, in the shape in which v1 would have sent it.
   * @param params as the store keeps them, without secrets
   */
  readonly view: (params: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** The members of each LCM operation that differ in v1. All others are in domain/operations.ts. */
export const V1_OPERATIONS: { readonly [O in Operation]: V1Operation<O> } = {
  INSTANTIATE: {
    request: InstantiateVnfRequestV1,
    translate: async ({ db }, { tenant }, body) => instantiateRequest(body, (await findDefaultVim(db, tenant))?.id),
    view: instantiateView,
  },
  TERMINATE: {
    request: TerminateVnfRequestV1,
    translate: (_context, _instance, body) => terminateRequest(body),
    view: unchanged,
  },
  SCALE: { request: ScaleVnfRequestV1, translate: (_context, _instance, body) => scaleRequest(body), view: unchanged },
  HEAL: {
    request: HealVnfRequestV1,
    translate: async ({ db }, { id, instantiatedVnfInfo }, body) => {
      const { additionalParams = {} } = (await listInstantiateParams(db, [id])).get(id) ?? {};
      const isRegistry = REGISTRY_PARAMETERS.key in (additionalParams as object);
      return healRequest(body, instantiatedVnfInfo ?? {}, isRegistry ? { [ACCEPT_CONTENT_LOSS]: IF_UNREADABLE } : {});
    },
    view: healView,
  },
  MODIFY_INFO: {
    request: VnfInfoModificationRequestV1,
    translate: (_context, { packageId }, { vnfPkgId = packageId, ...body }) => {
      if (vnfPkgId !== packageId) throw createMoveProblem('vnfPkgId');
      return modificationRequest(body);
    },
    view: modificationView,
  },
};

function unchanged(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return params;
}
