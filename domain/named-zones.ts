import { z } from 'zod';

const Vnfc = z.looseObject({
  id: z.string(),
  metadata: z.looseObject({ zone: z.unknown().optional() }).optional(),
});
const Info = z.looseObject({ vnfcResourceInfo: z.array(Vnfc).default([]) });

/**
 * The servers for which the grant or the request names an availability zone.
 * @param instantiatedVnfInfo of an instance, or as `discover` found it
 * @returns ids of servers
 */
export function serversWithNamedZone(instantiatedVnfInfo: unknown): ReadonlySet<string> {
  const { vnfcResourceInfo } = Info.parse(instantiatedVnfInfo ?? {});
  const named = vnfcResourceInfo.filter(({ metadata }) => typeof metadata?.zone === 'string' && metadata.zone !== '');
  return new Set(named.map(({ id }) => id));
}
