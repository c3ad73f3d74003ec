import { z } from 'zod';
import { type ExtManagedVirtualLinkData, ExtVirtualLinkData } from './sol-requests.ts';

/** ExtVirtualLinkInfo of an instance, as far as a later operation needs it. */
const ExtVirtualLinkInfo = z.looseObject({
  id: z.string(),
  resourceHandle: z.looseObject({ resourceId: z.string() }),
  currentVnfExtCpData: ExtVirtualLinkData.shape.extCps,
});

/** The external virtual links of an instance in the form in which a request gives them. */
function extVirtualLinksOf(infos: readonly z.infer<typeof ExtVirtualLinkInfo>[]): ExtVirtualLinkData[] {
  return infos.map(({ id, resourceHandle, currentVnfExtCpData }) => ({
    id,
    resourceId: resourceHandle.resourceId,
    extCps: currentVnfExtCpData,
  }));
}

/** The links of an instance, as its instantiatedVnfInfo has them. */
const Links = z.looseObject({
  extVirtualLinkInfo: z.array(ExtVirtualLinkInfo).default([]),
  extManagedVirtualLinkInfo: z
    .array(
      z.looseObject({
        id: z.string(),
        vnfVirtualLinkDescId: z.string(),
        networkResource: z.looseObject({ resourceId: z.string() }),
      }),
    )
    .default([]),
});

/** All links of an instance in the form in which a request gives them. @throws ZodError */
export function linksOf(instantiatedVnfInfo: unknown): {
  readonly extVirtualLinks: ExtVirtualLinkData[];
  readonly extManagedVirtualLinks: ExtManagedVirtualLinkData[];
} {
  const { extVirtualLinkInfo, extManagedVirtualLinkInfo } = Links.parse(instantiatedVnfInfo ?? {});
  return {
    extVirtualLinks: extVirtualLinksOf(extVirtualLinkInfo),
    extManagedVirtualLinks: extManagedVirtualLinkInfo.map(({ id, vnfVirtualLinkDescId, networkResource }) => ({
      id,
      vnfVirtualLinkDescId,
      ...networkResource,
    })),
  };
}
