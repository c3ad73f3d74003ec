import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { System } from './system.ts';

/** The folder of the sample package for version 1 of the API. */
export const V1_SAMPLE = fileURLToPath(new URL('../../samples/kubernetes-cluster-v1', import.meta.url));

/** The ids that the guides' requests have, which the guides tell the reader to replace: of clusters, of registries. */
const GUIDE_VIM = /05ef7ca5-7e32-4a6b-a03d-52f811f04496|8d8373fe-6977-49ff-83ac-7756572ed186/g;
const GUIDE_NETWORK = /71a3fbd1-f31e-4c2c-b0e2-26267d64a9ee|f0c82461-36b5-4d86-8322-b0bc19cda65f/g;
/** The proxies in the guides' requests: placeholders, too. */
const GUIDE_PROXY = /https?:\/\/user\d:password\d@host\d:port\d/g;

/** Registers the simulated cloud as a VIM. @returns its id */
export async function registerVim(
  { http, simulator }: Pick<System, 'http' | 'simulator'>,
  name = 'vim1',
): Promise<string> {
  const vim = {
    type: 'openstack',
    name,
    auth_url: simulator.authUrl,
    auth_cred: { username: 'nfv_user', password: 'devstack', user_domain_name: 'Default' },
    vim_project: { name: 'nfv', project_domain_name: 'Default' },
  };
  return (await http.post('/v1.0/vims', { vim })).data.vim.id;
}

/**
 * Reads a request of the guides for version 1, verbatim but for the ids of the VIM and of the network, and for the
 * proxy.
 * @param name of the file in `samples/requests/v1/`, without `.json`
 */
export function guideRequestV1(
  name: string,
  { cloud, proxyUrl }: Pick<System['simulator'], 'cloud' | 'proxyUrl'>,
  vimId: string,
) {
  const text = readFileSync(new URL(`../../samples/requests/v1/${name}.json`, import.meta.url), 'utf8');
  const net0 = Object.values(cloud.state.subnets).find(({ cidr }) => cidr === '10.10.0.0/24');
  return JSON.parse(
    text
      .replaceAll(GUIDE_VIM, vimId)
      .replaceAll(GUIDE_NETWORK, net0?.networkId ?? '')
      .replaceAll(GUIDE_PROXY, proxyUrl),
  );
}
