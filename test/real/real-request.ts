import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { RealEnvironment } from './real-cloud.ts';

const Node = z.looseObject({ username: z.string(), password: z.string() });
const Request = z.looseObject({
  vimConnectionInfo: z.record(
    z.string(),
    z.looseObject({ interfaceInfo: z.looseObject({}), accessInfo: z.looseObject({}) }),
  ),
  additionalParams: z.looseObject({
    k8s_cluster_installation_param: z.looseObject({
      install_parameters: z.record(z.string(), z.string()).optional(),
      vim_name: z.string().optional(),
      master_node: Node,
      worker_node: Node,
    }),
  }),
  extVirtualLinks: z.array(z.looseObject({ resourceId: z.string() })),
});

interface Wishes {
  readonly networkId: string;
  /** Undefined: the right one. */
  readonly password?: string;
}

/** The guide's request, for the OpenStack of the environment. */
export function realRequest(
  flavour: 'simple' | 'complex',
  env: RealEnvironment,
  { networkId, password }: Wishes,
): object {
  const file = new URL(`../../samples/requests/instantiate-${flavour}.json`, import.meta.url);
  const request = Request.parse(JSON.parse(readFileSync(file, 'utf8')));
  for (const vim of Object.values(request.vimConnectionInfo)) {
    Object.assign(vim.interfaceInfo, { endpoint: env.OS_AUTH_URL });
    Object.assign(vim.accessInfo, {
      username: env.OS_USERNAME,
      password: env.OS_PASSWORD,
      project: env.OS_PROJECT_NAME,
      userDomain: env.OS_USER_DOMAIN_NAME,
      projectDomain: env.OS_PROJECT_DOMAIN_NAME,
      ...(env.OS_REGION_NAME === undefined ? {} : { region: env.OS_REGION_NAME }),
    });
  }
  const { k8s_cluster_installation_param: cluster } = request.additionalParams;
  if (cluster.vim_name !== undefined) cluster.vim_name = `real-${Date.now()}`;
  for (const node of [cluster.master_node, cluster.worker_node])
    Object.assign(node, { username: env.VNFLOW_TEST_USER, password: password ?? env.VNFLOW_TEST_PASSWORD });
  const installParameters = env.VNFLOW_TEST_INSTALL_PARAMETERS;
  if (Object.keys(installParameters).length > 0) cluster.install_parameters = installParameters;
  for (const link of request.extVirtualLinks) link.resourceId = networkId;
  return request;
}
