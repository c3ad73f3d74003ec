import { createHash } from 'node:crypto';
import type { CloudState } from './cloud-state.ts';
import { isDeleted } from './heat/stack-store.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * Everything that exists in the cloud, in a canonical form. Equal fingerprints before and after a test prove that
 * nothing is left.
 */
export interface Fingerprint {
  readonly hash: string;
  readonly content: JsonObject;
}

export function fingerprint(state: CloudState): Fingerprint {
  const lines = <T>(items: Record<string, T>, line: (item: T) => string): Json => Object.values(items).map(line).sort();
  const living = Object.fromEntries(Object.entries(state.stacks).filter(([, stack]) => !isDeleted(stack)));
  const content: JsonObject = {
    stacks: lines(living, ({ id, name, action, progress }) => `${name} ${id} ${action}_${progress}`),
    servers: lines(
      state.servers,
      ({ id, name, status, imageId, flavorId }) => `${name} ${id} ${status} ${imageId} ${flavorId}`,
    ),
    serverGroups: lines(state.serverGroups, ({ id, name, policy }) => `${name} ${id} ${policy}`),
    flavors: lines(state.flavors, ({ id, name }) => `${name} ${id}`),
    volumes: lines(state.volumes, ({ id, name, sizeGb, serverId }) => `${name} ${id} ${sizeGb} ${serverId ?? '-'}`),
    ports: lines(
      state.ports,
      (port) => `${port.id} ${port.fixedIps.map(({ address }) => address).join(',')} ${port.deviceId}`,
    ),
    floatingIps: lines(state.floatingIps, ({ id, address, portId }) => `${address} ${id} ${portId ?? '-'}`),
    networks: lines(state.networks, ({ id, name }) => `${name} ${id}`),
    subnets: lines(state.subnets, ({ id, cidr }) => `${cidr} ${id}`),
    routers: lines(state.routers, ({ id, name }) => `${name} ${id}`),
    securityGroups: lines(state.securityGroups, ({ id, name, rules }) => `${name} ${id} ${rules.length}`),
    keypairs: lines(state.keypairs, ({ name, userId }) => `${name} ${userId}`),
    objects: Object.entries(state.objectStore ?? {}).flatMap(([project, containers]) =>
      Object.entries(containers).flatMap(([name, objects]) =>
        Object.keys(objects).map((object) => `${project} ${name} ${object}`),
      ),
    ),
    images: lines(state.images, ({ id, name, status, checksum }) => `${name} ${id} ${status} ${checksum ?? '-'}`),
  };
  return { hash: createHash('sha256').update(JSON.stringify(content)).digest('hex'), content };
}
