import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const SAMPLE_PACKAGE = fileURLToPath(new URL('../../samples/kubernetes-cluster', import.meta.url));
export const SAMPLE_VNFD_ID = 'd34ac189-5376-493f-828f-224dd5fe7393';
export const TERMINATE_REQUEST = { terminationType: 'FORCEFUL' } as const;

const Login = z.looseObject({ username: z.string(), password: z.string() });
export type NodeLogin = z.infer<typeof Login>;
const Request = z.looseObject({
  vimConnectionInfo: z.looseObject({
    vim1: z.looseObject({ interfaceInfo: z.looseObject({ endpoint: z.string() }) }),
  }),
  additionalParams: z.looseObject({
    k8s_cluster_installation_param: z.looseObject({ vim_name: z.string().optional(), master_node: Login }),
  }),
});
export type SampleRequest = z.infer<typeof Request>;

/**
 * Reads the guide's request, and replaces the endpoint of the VIM, and `vim_name`: a name can be used once in a
 * project, and an earlier demo may have left its cluster.
 */
export async function sampleRequest(
  name: 'instantiate-simple' | 'instantiate-complex',
  { authUrl, vnfInstanceId }: { readonly authUrl: string; readonly vnfInstanceId: string },
): Promise<SampleRequest> {
  const file = new URL(`../../samples/requests/${name}.json`, import.meta.url);
  const request = Request.parse(JSON.parse(await readFile(file, 'utf8')));
  request.vimConnectionInfo.vim1.interfaceInfo.endpoint = authUrl;
  const { k8s_cluster_installation_param: cluster } = request.additionalParams;
  if (cluster.vim_name !== undefined) cluster.vim_name = `${cluster.vim_name}_${vnfInstanceId.slice(0, 8)}`;
  return request;
}

/** The name of the cluster in the list of VIMs. */
export function vimNameOf(request: SampleRequest): string {
  return request.additionalParams.k8s_cluster_installation_param.vim_name ?? '';
}

/** The login for the control-plane nodes. */
export function nodeLogin(request: SampleRequest): NodeLogin {
  return request.additionalParams.k8s_cluster_installation_param.master_node;
}
