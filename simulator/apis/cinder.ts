import type { Volume } from '../world/cloud/cloud-state.ts';
import type { Foundation } from '../world/cloud/foundation.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../world/cloud/json.ts';
import type { ComputeStore } from '../world/cloud/nova/compute-store.ts';
import { Refusal } from '../world/cloud/refusal.ts';
import { timestamp } from '../world/cloud/times.ts';
import { type Call, route, type Service } from './service.ts';

/** Cinder v3. */
export function createCinder({ state, url, chance, changed }: Foundation, compute: ComputeStore): Service {
  const mine = ({ session, query }: Call) =>
    Object.values(state.volumes).filter(
      ({ projectId }) => projectId === session.projectId || (session.admin && query.has('all_tenants')),
    );
  const version = () => ({
    id: 'v3.0',
    status: 'CURRENT',
    version: '3.70',
    min_version: '3.0',
    links: [{ rel: 'self', href: `${url()}/volume/v3/` }],
  });
  return {
    name: 'cinder',
    mount: '/volume',
    routes: [
      { method: 'GET', path: '/', auth: 'none', handle: () => ({ status: 300, body: { versions: [version()] } }) },
      { method: 'GET', path: '/v3', auth: 'none', handle: () => ({ status: 200, body: { versions: [version()] } }) },
      route('GET', '/v3/:project/volumes', (call) => ({
        status: 200,
        body: { volumes: mine(call).map(({ id, name }) => ({ id, name, links: [] })) },
      })),
      route('GET', '/v3/:project/volumes/detail', (call) => ({
        status: 200,
        body: { volumes: mine(call).map(viewVolume) },
      })),
      route('GET', '/v3/:project/volumes/:id', (call) => {
        const volume = mine(call).find(({ id }) => id === call.params['id']);
        if (!volume) throw new Refusal(404, 'itemNotFound', `Volume ${call.params['id']} could not be found.`);
        return { status: 200, body: { volume: viewVolume(volume) } };
      }),
      route('POST', '/v3/:project/volumes', ({ body, session }) => {
        const given = isObject(body) ? objectAt(body, 'volume') : {};
        const size = given['size'];
        if (typeof size !== 'number' || size < 1) {
          throw new Refusal(400, 'badRequest', `Invalid input for field/attribute size. Value: ${size}.`);
        }
        const image = stringAt(given, 'imageRef');
        const volume: Volume = {
          id: chance.uuid(),
          name: stringAt(given, 'name') ?? '',
          projectId: session.projectId,
          sizeGb: size,
          imageId: image === undefined ? null : (compute.findImage(image, session.projectId)?.id ?? null),
          serverId: null,
          createdAt: timestamp(),
        };
        state.volumes[volume.id] = volume;
        changed();
        return { status: 202, body: { volume: viewVolume(volume) } };
      }),
      route('DELETE', '/v3/:project/volumes/:id', (call) => {
        const volume = mine(call).find(({ id }) => id === call.params['id']);
        if (!volume) throw new Refusal(404, 'itemNotFound', `Volume ${call.params['id']} could not be found.`);
        if (volume.serverId !== null) {
          const words =
            'Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.';
          throw new Refusal(400, 'badRequest', words);
        }
        compute.deleteVolume(volume.id);
        return { status: 202 };
      }),
      route('GET', '/v3/:project/limits', () => ({ status: 200, body: { limits: { rate: [], absolute: {} } } })),
      ...['snapshots', 'snapshots/detail'].map((path) =>
        route('GET', `/v3/:project/${path}`, () => ({ status: 200, body: { snapshots: [] } })),
      ),
    ],
    refuse: ({ status, type, message }) => ({
      status,
      body: { [status === 404 ? 'itemNotFound' : type]: { code: status, message } },
    }),
    unknownUrl: () => ({
      status: 404,
      body: { itemNotFound: { code: 404, message: 'The resource could not be found.' } },
    }),
    headers: (requestId) => ({ 'X-Openstack-Request-Id': requestId, 'Openstack-Api-Version': 'volume 3.0' }),
  };
}

function viewVolume(volume: Volume): JsonObject {
  const { id, serverId } = volume;
  return {
    id,
    name: volume.name,
    status: serverId === null ? 'available' : 'in-use',
    size: volume.sizeGb,
    availability_zone: 'nova',
    bootable: String(volume.imageId !== null),
    encrypted: false,
    multiattach: false,
    created_at: volume.createdAt.replace('Z', '.000000'),
    updated_at: null,
    description: null,
    volume_type: 'simulated',
    metadata: {},
    attachments:
      serverId === null ? [] : [{ id, attachment_id: id, volume_id: id, server_id: serverId, device: '/dev/vdb' }],
    links: [],
    'os-vol-tenant-attr:tenant_id': volume.projectId,
  };
}
