import { sampleRequest } from './sample-package.ts';

type Connections = Record<string, object>;
interface Link {
  extCps: { cpdId: string; cpConfig: unknown }[];
}

/** The request of the guide in the shape of version 1: arrays, with one VIM connection `vim-a`. */
export function v1Request(name: 'instantiate-simple' | 'instantiate-complex') {
  return asV1(sampleRequest(name));
}

/** A request of version 2 in the shape of version 1. */
// biome-ignore lint/suspicious/noExplicitAny: tests change single members of any type
export function asV1(request: any): any {
  const connections: Connections = request.vimConnectionInfo;
  return {
    ...request,
    vimConnectionInfo: Object.values(connections).map((info) => ({ id: 'vim-a', ...info, vimType: 'openstack' })),
    extVirtualLinks: request.extVirtualLinks.map((link: Link) => ({
      ...link,
      extCps: link.extCps.map(({ cpdId, cpConfig }) => ({ cpdId, cpConfig: Object.values(cpConfig as object) })),
    })),
  };
}
