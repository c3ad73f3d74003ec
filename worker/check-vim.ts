import type { ApiDependencies } from '../api/dependencies.ts';
import { issueToken } from '../openstack/keystone.ts';
import { createTransport } from '../openstack/transport.ts';

const PATIENCE_MS = 15_000;

/** Logs in to an OpenStack and tells the regions of its catalogue. */
export const checkVim: ApiDependencies['checkVim'] = async (credentials) => {
  const { token } = await issueToken(createTransport({ verify: credentials.verify }), credentials, {
    timeoutMs: PATIENCE_MS,
  });
  const regions = token.catalog.flatMap(({ endpoints }) =>
    endpoints.map(({ region_id, region }) => region_id ?? region),
  );
  return { regions: [...new Set(regions.filter((name) => typeof name === 'string'))] };
};
