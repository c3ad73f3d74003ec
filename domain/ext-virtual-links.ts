import { z } from 'zod';
import { ExtVirtualLinkData } from './sol-requests.ts';

/** ExtVirtualLinkInfo of an instance, as far as a later operation needs it. */
export const ExtVirtualLinkInfo = z.looseObject({
  id: z.string(),
  resourceHandle: z.looseObject({ resourceId: z.string() }),
  currentVnfExtCpData: ExtVirtualLinkData.shape.extCps,
});

/** The external virtual links of an instance in the form in which a request gives them. */
export function extVirtualLinksOf(infos: readonly z.infer<typeof ExtVirtualLinkInfo>[]): ExtVirtualLinkData[] {
  return infos.map(({ id, resourceHandle, currentVnfExtCpData }) => ({
    id,
    resourceId: resourceHandle.resourceId,
    extCps: currentVnfExtCpData,
  }));
}
