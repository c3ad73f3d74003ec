import type { Foundation } from '../../world/cloud/foundation.ts';
import type { Json, JsonObject } from '../../world/cloud/json.ts';

interface CatalogEntry {
  readonly type: string;
  readonly name: string;
  readonly url: (base: string, projectId: string) => string;
}

const ENTRIES: readonly CatalogEntry[] = [
  { type: 'identity', name: 'keystone', url: (base) => `${base}/identity` },
  { type: 'compute', name: 'nova', url: (base) => `${base}/compute/v2.1` },
  { type: 'image', name: 'glance', url: (base) => `${base}/image` },
  { type: 'network', name: 'neutron', url: (base) => `${base}/networking` },
  { type: 'block-storage', name: 'cinder', url: (base, project) => `${base}/volume/v3/${project}` },
  { type: 'object-store', name: 'swift', url: (base, project) => `${base}/object-store/v1/AUTH_${project}` },
  { type: 'orchestration', name: 'heat', url: (base, project) => `${base}/heat-api/v1/${project}` },
];

export const REGION = 'RegionOne';

/** Builds the service catalogue of a token. @param vnfmUrl URL of the VNF manager, for the `nfv-orchestration` entry */
export function catalog(foundation: Foundation, projectId: string, vnfmUrl: string): Json[] {
  const entries = [...ENTRIES, { type: 'nfv-orchestration', name: 'tacker', url: () => vnfmUrl }];
  return entries
    .filter(({ type }) => projectId !== '' || type === 'identity')
    .map(({ type, name, url }) => ({
      endpoints: endpoints(foundation, type, url(foundation.url(), projectId)),
      id: serviceId(foundation, type),
      type,
      name,
    }));
}

/** All endpoints, as `GET /v3/endpoints` lists them. */
export function endpointList(foundation: Foundation, projectId: string, vnfmUrl: string): JsonObject[] {
  return [...ENTRIES, { type: 'nfv-orchestration', name: 'tacker', url: () => vnfmUrl }].flatMap(({ type, url }) =>
    endpoints(foundation, type, url(foundation.url(), projectId)).map((endpoint) => ({
      ...endpoint,
      service_id: serviceId(foundation, type),
      enabled: true,
      links: { self: `${foundation.url()}/identity/v3/endpoints/${endpoint['id']}` },
    })),
  );
}

export function serviceList(foundation: Foundation): JsonObject[] {
  return [...ENTRIES, { type: 'nfv-orchestration', name: 'tacker' }].map(({ type, name }) => ({
    id: serviceId(foundation, type),
    type,
    name,
    enabled: true,
    description: '',
    links: { self: `${foundation.url()}/identity/v3/services/${serviceId(foundation, type)}` },
  }));
}

function endpoints(foundation: Foundation, type: string, url: string): JsonObject[] {
  return ['public', 'internal', 'admin'].map((side) => ({
    id: serviceId(foundation, `${type}:${side}`),
    interface: side,
    region_id: REGION,
    url,
    region: REGION,
  }));
}

function serviceId({ state, chance }: Foundation, key: string): string {
  const id = state.serviceIds[key] ?? chance.hex();
  state.serviceIds[key] = id;
  return id;
}
