import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import {
  ACCESS_ROLES,
  LONGEST_ACCESS_SECONDS,
  SHORTEST_ACCESS_SECONDS,
} from '../../domain/vnf-kinds/kubernetes-cluster/cluster-access.ts';
import { listControlPlane } from '../../store/cluster-nodes.ts';
import { secretName } from '../../store/secrets.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type Endpoint, withBody } from '../http/endpoint.ts';
import { vnfInstanceOf } from '../vnflcm/lookup.ts';

export const KUBECONFIG_TYPE = 'application/yaml';

/** The body of a request for a kubeconfig. */
export const KubeconfigRequest = z.strictObject({
  ttlSeconds: z.int().min(SHORTEST_ACCESS_SECONDS).max(LONGEST_ACCESS_SECONDS).default(3600),
  role: z.enum(ACCESS_ROLES).default('edit'),
});

/** Gives a member of the project a credential for the cluster that ends by itself. */
export function kubeconfigEndpoint(context: ApiContext): Endpoint {
  return withBody(KubeconfigRequest, async (request, wanted): Promise<ApiAnswer> => {
    const { id, instantiationState } = await vnfInstanceOf(context, request);
    if ((await listControlPlane(context.db, id)).length === 0) {
      if (instantiationState === 'INSTANTIATED')
        throw new VnflowError('NOT_FOUND', { detail: `VnfInstance ${id} is no Kubernetes cluster.` });
      throw new VnflowError('VNF_NOT_INSTANTIATED', { detail: `VnfInstance ${id} is not instantiated.` });
    }
    const requestId = randomUUID();
    const { userName: user } = request.caller;
    await context.engine.makeKubeconfig({ vnfInstanceId: id, requestId, user, ...wanted });
    const text = z.string().parse(await context.secrets.get(secretName.kubeconfig(requestId)));
    await context.secrets.remove(secretName.kubeconfig(requestId));
    return {
      status: 200,
      bytes: Buffer.from(text, 'utf8'),
      headers: { 'Content-Type': KUBECONFIG_TYPE, 'Cache-Control': 'no-store' },
    };
  });
}
