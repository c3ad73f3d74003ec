import type { Resource } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import { isObject, isSameJson, type Json, type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import type { NetworkStore } from '../neutron/network-store.ts';
import type { ComputeStore, ServerRequest } from '../nova/compute-store.ts';
import { createServerViews } from '../nova/views.ts';
import { ResourceFailure, type ResourceKind, type ResourceTask } from './resource-kind.ts';

/** The number of attempts of Heat to replace a server that went to ERROR. */
const ATTEMPTS = 5;

/** OS::Nova::Server. */
export function serverKind(foundation: Foundation, network: NetworkStore, compute: ComputeStore): ResourceKind {
  const { state } = foundation;
  const views = createServerViews(foundation, network);
  const serverOf = ({ physicalId }: Pick<Resource, 'physicalId'>) => state.servers[physicalId];

  const create = async (task: ResourceTask) => {
    for (let attempt = 1; ; attempt++) {
      if (!serverOf(task.resource))
        task.identify(compute.createServer(readServer(foundation, { network, compute, task })).id);
      const id = task.resource.physicalId;
      await compute.built(id, task.signal);
      const server = state.servers[id];
      if (!server) throw new ResourceFailure('NotFound', `Instance ${id} could not be found.`);
      const { fault } = server;
      if (!fault) return;
      if (attempt >= ATTEMPTS) {
        const text = `Went to status ERROR due to "Message: ${fault.message}, Code: ${fault.code}"`;
        throw new ResourceFailure('ResourceInError', text);
      }
      compute.deleteServer(id);
      await compute.gone(id, task.signal);
      await task.wait(2 ** attempt);
    }
  };

  const update = async (task: ResourceTask, before: JsonObject) => {
    const server = serverOf(task.resource);
    if (!server) throw new ResourceFailure('NotFound', `Instance ${task.resource.physicalId} could not be found.`);
    const isChanged = (name: string) => !isSameJson(before[name], task.properties[name]);
    if (isChanged('name')) server.name = stringAt(task.properties, 'name') ?? task.physicalName;
    if (isChanged('metadata')) server.metadata = objectAt(task.properties, 'metadata');
    if (isChanged('flavor')) {
      compute.resize(server.id, compute.findFlavor(String(task.properties['flavor']))?.id ?? server.flavorId);
    }
    if (isChanged('image')) {
      const image = compute.findImage(String(task.properties['image']), task.stack.projectId);
      compute.rebuild(server.id, image?.id ?? server.imageId);
      await task.wait(foundation.latency.serverActive);
    }
    if (isChanged('networks'))
      changeInterfaces(server.id, readPorts(task.properties), { before: readPorts(before), compute });
    await task.wait(foundation.latency.resource);
  };

  return {
    properties: SERVER_PROPERTIES,
    create,
    update,
    beforeReplacement: (resource) => {
      const server = serverOf(resource);
      for (const portId of server?.portIds ?? []) {
        if (server && !server.ownPortIds.includes(portId)) compute.detach(server.id, portId);
      }
    },
    remove: async (task) => {
      const server = serverOf(task.resource);
      if (!server) return;
      compute.deleteServer(server.id);
      await compute.gone(server.id, task.signal);
    },
    attributes: (resource, admin) => {
      const server = serverOf(resource);
      if (!server) return {};
      const show = views.show(server, { admin, minor: 90 });
      return { ...show, os_collect_config: {} };
    },
  };
}

/** Returns an attribute for get_attr that is not a field of the server itself. */
export function serverAttribute(attributes: JsonObject, name: string): Json | undefined {
  const addresses = objectAt(attributes, 'addresses');
  const byNetwork = Object.fromEntries(
    Object.keys(addresses).map((net) => [net, listAt(addresses, net).map((item) => stringAt(item, 'addr') ?? '')]),
  );
  if (name === 'networks') return byNetwork;
  if (name === 'first_address') return Object.values(byNetwork)[0]?.[0] ?? '';
  if (name === 'instance_name') return attributes['OS-EXT-SRV-ATTR:instance_name'] ?? '';
  return undefined;
}

const SERVER_PROPERTIES: ResourceKind['properties'] = {
  name: { live: true },
  image: { names: 'image', live: true },
  flavor: { required: true, names: 'flavor', live: true },
  networks: { live: true },
  metadata: { live: true },
  ...Object.fromEntries(
    [
      ...['admin_pass', 'availability_zone', 'block_device_mapping', 'block_device_mapping_v2', 'config_drive'],
      ...['deployment_swift_data', 'diskConfig', 'flavor_update_policy', 'hypervisor_hostname', 'image_update_policy'],
      ...[
        'key_name',
        'personality',
        'reservation_id',
        'scheduler_hints',
        'security_groups',
        'software_config_transport',
      ],
      ...['swap', 'tags', 'user_data', 'user_data_format', 'user_data_update_policy'],
    ].map((name) => [name, {}]),
  ),
};

interface Wiring {
  readonly network: NetworkStore;
  readonly compute: ComputeStore;
  readonly task: ResourceTask;
}

function readServer(foundation: Foundation, { network, compute, task }: Wiring): ServerRequest {
  const { properties, stack } = task;
  const flavor = compute.findFlavor(String(properties['flavor']));
  if (!flavor) throw new ResourceFailure('BadRequest', `Flavor ${properties['flavor']} could not be found.`);
  const imageId = readImage(foundation, { network, compute, task });
  const userData = properties['user_data'];
  const group = stringAt(properties['scheduler_hints'], 'group');
  return {
    name: stringAt(properties, 'name') ?? task.physicalName,
    projectId: stack.projectId,
    userId: stack.userId,
    imageId,
    flavorId: flavor.id,
    interfaces: readInterfaces(foundation, { network, compute, task }),
    metadata: objectAt(properties, 'metadata'),
    userData: typeof userData === 'string' && userData !== '' ? Buffer.from(userData).toString('base64') : undefined,
    keyName: stringAt(properties, 'key_name'),
    zone: stringAt(properties, 'availability_zone'),
    groupId: group,
    ...readVolumes(properties),
  };
}

/** The volumes that a server has from the start, and the one that it boots from when it has no image. */
function readVolumes(properties: JsonObject): Pick<ServerRequest, 'volumeIds' | 'bootVolumeId'> {
  const devices = listAt(properties, 'block_device_mapping_v2')
    .filter(isObject)
    .filter((device) => typeof device['volume_id'] === 'string');
  const boot = devices.find((device) => Number(device['boot_index'] ?? -1) === 0) ?? devices[0];
  return {
    volumeIds: devices.map((device) => String(device['volume_id'])),
    ...(properties['image'] === undefined && boot ? { bootVolumeId: String(boot['volume_id']) } : {}),
  };
}

/** The image of a server. A server that boots from a volume has none: its id is empty. */
function readImage({ state }: Foundation, { compute, task }: Wiring): string {
  const { properties, stack } = task;
  const devices = listAt(properties, 'block_device_mapping_v2').filter(isObject);
  const lost = devices.find(({ volume_id: id }) => typeof id === 'string' && state.volumes[id] === undefined);
  if (lost) {
    throw new ResourceFailure(
      'BadRequest',
      `Block Device Mapping is Invalid: failed to get volume ${lost['volume_id']}.`,
    );
  }
  if (properties['image'] === undefined && devices.some((device) => device['volume_id'] !== undefined)) return '';
  const image = compute.findImage(String(properties['image'] ?? ''), stack.projectId);
  if (image) return image.id;
  if (properties['image'] === undefined) {
    throw new ResourceFailure('BadRequest', 'Invalid imageRef provided.');
  }
  throw new ResourceFailure('BadRequest', `Image ${properties['image']} could not be found.`);
}

function readInterfaces({ state }: Foundation, { network, task }: Wiring): ServerRequest['interfaces'] {
  const { projectId } = task.stack;
  const wanted = listAt(task.properties, 'networks').filter(isObject);
  if (wanted.length === 0) {
    const own = Object.values(state.networks).find((net) => net.projectId === projectId && !net.external);
    return own ? [{ networkId: own.id }] : [];
  }
  return wanted.map((item) => {
    const portId = stringAt(item, 'port');
    if (portId !== undefined) return { portId };
    const name = stringAt(item, 'network') ?? stringAt(item, 'uuid') ?? '';
    const subnet = network.findSubnet(stringAt(item, 'subnet') ?? '', projectId);
    const found = subnet ? state.networks[subnet.networkId] : network.findNetwork(name, projectId);
    if (!found) throw new ResourceFailure('NotFound', `Unable to find network with name or id '${name}'`);
    return { networkId: found.id, address: stringAt(item, 'fixed_ip') };
  });
}

function readPorts(properties: JsonObject): string[] {
  return listAt(properties, 'networks').flatMap((item) => stringAt(item, 'port') ?? []);
}

function changeInterfaces(
  id: string,
  ports: readonly string[],
  at: { before: readonly string[]; compute: ComputeStore },
): void {
  for (const port of at.before) if (!ports.includes(port)) at.compute.detach(id, port);
  for (const port of ports) if (!at.before.includes(port)) at.compute.attach(id, port);
}
