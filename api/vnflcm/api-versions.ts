import { type Endpoints, withoutBody } from '../http/endpoint.ts';
import { SOL_V1_VERSION, SOL_VERSION } from '../http/version-header.ts';

/** The versions that are served, by prefix. */
const SERVED = {
  '/vnflcm': [SOL_V1_VERSION, SOL_VERSION],
  '/vnflcm/v1': [SOL_V1_VERSION],
  '/vnflcm/v2': [SOL_VERSION],
} as const;

/** The list of versions under a prefix (SOL013 9.3.3.3). */
export function apiVersions(uriPrefix: keyof typeof SERVED): Endpoints {
  const apiVersions = SERVED[uriPrefix].map((version) => ({ version, isDeprecated: false }));
  return { GET: withoutBody(async () => ({ status: 200, json: { uriPrefix, apiVersions } })) };
}
