import type { Hypervisor } from '../../kernel/machine.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import type { NetworkStore } from '../../world/cloud/neutron/network-store.ts';
import type { ComputeStore } from '../../world/cloud/nova/compute-store.ts';
import { createServerViews } from '../../world/cloud/nova/views.ts';
import { STATUS_TITLES } from '../../world/cloud/refusal.ts';
import type { Route, Service } from '../service.ts';
import { minorOf, NEWEST } from './nova-parts.ts';
import { otherRoutes } from './other-routes.ts';
import { actionRoutes, serverRoutes } from './server-routes.ts';

const FAULT_NAMES: Readonly<Record<number, string>> = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'itemNotFound',
  409: 'conflictingRequest',
  429: 'overLimit',
  503: 'serviceUnavailable',
};

/** Nova v2.1 up to microversion 2.90. */
export function createNova(
  foundation: Foundation,
  network: NetworkStore,
  compute: ComputeStore,
  machines: () => Hypervisor,
): Service {
  const parts = { foundation, network, compute, machines, views: createServerViews(foundation, network) };
  return {
    name: 'nova',
    mount: '/compute',
    routes: [...discovery(foundation), ...serverRoutes(parts), ...actionRoutes(parts), ...otherRoutes(parts)],
    refuse: ({ status, message }) => ({
      status,
      body: { [FAULT_NAMES[status] ?? 'computeFault']: { code: status, message } },
    }),
    unknownUrl: () => ({
      status: 404,
      body: { message: STATUS_TITLES[404] ?? '', code: '404 Not Found', title: 'Not Found' },
    }),
    headers: (requestId, call) => {
      const version = `2.${minorOf(call)}`;
      return {
        'Openstack-Api-Version': `compute ${version}`,
        'X-Openstack-Nova-Api-Version': version,
        Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
        'X-Openstack-Request-Id': requestId,
        'X-Compute-Request-Id': requestId,
      };
    },
  };
}

function discovery({ url }: Foundation): Route[] {
  const version = () => ({
    id: 'v2.1',
    status: 'CURRENT',
    version: `2.${NEWEST}`,
    min_version: '2.1',
    updated: '2013-07-23T11:33:21Z',
    links: [{ rel: 'self', href: `${url()}/compute/v2.1/` }],
  });
  const open = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, auth: 'none', handle });
  return [
    open('/', () => ({ status: 200, body: { versions: [version()] } })),
    open('/v2.1', () => ({ status: 200, body: { version: version() } })),
  ];
}
