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
  additionalParams: z.looseObject({ k8s_cluster_installation_param: z.looseObject({ master_node: Login }) }),
});
export type SampleRequest = z.infer<typeof Request>;

/** The guide's request; nothing is changed but the VIM's endpoint. */
export async function sampleRequest(
  name: 'instantiate-simple' | 'instantiate-complex',
  authUrl: string,
): Promise<SampleRequest> {
  const file = new URL(`../../samples/requests/${name}.json`, import.meta.url);
  const request = Request.parse(JSON.parse(await readFile(file, 'utf8')));
  request.vimConnectionInfo.vim1.interfaceInfo.endpoint = authUrl;
  return request;
}

/** How one logs in to the control-plane nodes. */
export function nodeLogin(request: SampleRequest): NodeLogin {
  return request.additionalParams.k8s_cluster_installation_param.master_node;
}
