import { type Endpoints, withoutBody } from '../http/endpoint.ts';

const version = (text: string) => ({ version: text, isDeprecated: false });

/** SOL013 9.3.3.3. vnflow serves version 2 only, so only that is listed. @param uriPrefix /vnflcm or /vnflcm/v2 */
export function apiVersions(uriPrefix: string): Endpoints {
  return {
    GET: withoutBody(async () => ({ status: 200, json: { uriPrefix, apiVersions: [version('2.0.0')] } })),
  };
}
