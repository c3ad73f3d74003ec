import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A package of `samples/`. */
export interface Sample {
  readonly name: string;
  readonly vnfdId: string;
}

export const CLUSTER_SAMPLE: Sample = {
  name: 'kubernetes-cluster',
  vnfdId: 'd34ac189-5376-493f-828f-224dd5fe7393',
};
export const REGISTRY_SAMPLE: Sample = {
  name: 'private-registry',
  vnfdId: 'c1bb0ce7-ebca-4fa7-95ed-4840d70a118f',
};

/** The folder of a sample. */
export function sampleFolder({ name }: Sample): string {
  return fileURLToPath(new URL(`../../samples/${name}`, import.meta.url));
}

export const TERMINATE_REQUEST = { terminationType: 'FORCEFUL' } as const;

const Login = z.looseObject({ username: z.string(), password: z.string() });
export type NodeLogin = z.infer<typeof Login>;
const vimConnectionInfo = z.looseObject({
  vim1: z.looseObject({ interfaceInfo: z.looseObject({ endpoint: z.string() }) }),
});
const Request = z.looseObject({
  vimConnectionInfo,
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

const RegistryRequest = z.looseObject({
  vimConnectionInfo,
  additionalParams: z.looseObject({
    private_registry_installation_param: z.looseObject({ ssh_username: z.string(), ssh_password: z.string() }),
  }),
});
type RegistryRequest = z.infer<typeof RegistryRequest>;

/** Reads the request of the registry, and replaces the endpoint of the VIM. */
export async function registryRequest(authUrl: string): Promise<RegistryRequest> {
  const file = new URL('../../samples/requests/instantiate-private-registry.json', import.meta.url);
  const request = RegistryRequest.parse(JSON.parse(await readFile(file, 'utf8')));
  request.vimConnectionInfo.vim1.interfaceInfo.endpoint = authUrl;
  return request;
}

/** The login for the server of the registry. */
export function registryLogin({ additionalParams }: RegistryRequest): NodeLogin {
  const { ssh_username: username, ssh_password: password } = additionalParams.private_registry_installation_param;
  return { username, password };
}

/** The name of the cluster in the list of VIMs. */
export function vimNameOf(request: SampleRequest): string {
  return request.additionalParams.k8s_cluster_installation_param.vim_name ?? '';
}

/** The login for the control-plane nodes. */
export function nodeLogin(request: SampleRequest): NodeLogin {
  return request.additionalParams.k8s_cluster_installation_param.master_node;
}
