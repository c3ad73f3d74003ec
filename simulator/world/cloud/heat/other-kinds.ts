import type { Foundation } from '../foundation.ts';
import { listAt, stringAt } from '../json.ts';
import type { ComputeStore } from '../nova/compute-store.ts';
import { timestamp } from '../times.ts';
import { describeFixedProperties } from './network-parts.ts';
import { ResourceFailure, type ResourceKind } from './resource-kind.ts';
import { scalingPolicyKind } from './scaling-policy-kind.ts';

/** Resource types for server groups, volumes, and resources that exist in Heat only. */
export function otherKinds(foundation: Foundation, compute: ComputeStore): Readonly<Record<string, ResourceKind>> {
  return {
    'OS::Nova::ServerGroup': serverGroupKind(foundation, compute),
    'OS::Cinder::Volume': volumeKind(foundation, compute),
    'OS::Cinder::VolumeType': volumeTypeKind(foundation),
    'OS::Cinder::VolumeAttachment': attachmentKind(foundation, compute),
    'OS::Heat::Value': valueKind(),
    'OS::Heat::RandomString': randomStringKind(foundation),
    'OS::Heat::None': inertKind(),
    'OS::Heat::TestResource': testKind(),
    'OS::Heat::ScalingPolicy': scalingPolicyKind(foundation),
    'OS::Heat::SoftwareConfig': configKind(),
    'OS::Heat::CloudConfig': configKind(),
    'OS::Nova::KeyPair': inertKind(),
  };
}

function serverGroupKind({ state, latency }: Foundation, compute: ComputeStore): ResourceKind {
  return {
    properties: describeFixedProperties('name', 'policies', 'rules'),
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const policy = String(listAt(task.properties, 'policies')[0] ?? 'anti-affinity');
        const name = stringAt(task.properties, 'name') ?? task.physicalName;
        const { projectId, userId } = task.stack;
        task.identify(compute.createGroup({ name, policy, projectId, userId }).id);
      }
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      compute.deleteGroup(task.resource.physicalId);
    },
    attributes: ({ physicalId }) => {
      const group = state.serverGroups[physicalId];
      if (!group) return {};
      return {
        id: group.id,
        name: group.name,
        policy: group.policy,
        policies: [group.policy],
        rules: {},
        metadata: {},
        project_id: group.projectId,
        user_id: group.userId,
        members: [...compute.scheduler.membersOf(group.id)],
      };
    },
  };
}

function volumeKind({ state, latency, chance, changed }: Foundation, compute: ComputeStore): ResourceKind {
  return {
    properties: {
      size: { live: true },
      name: { live: true },
      image: { names: 'image' },
      ...describeFixedProperties(
        'availability_zone',
        'backup_id',
        'description',
        'metadata',
        'read_only',
        'scheduler_hints',
        'snapshot_id',
      ),
      ...describeFixedProperties('source_volid', 'volume_type'),
    },
    create: async (task) => {
      if (task.resource.physicalId === '') {
        const image = task.properties['image'];
        const id = chance.uuid();
        state.volumes[id] = {
          id,
          name: stringAt(task.properties, 'name') ?? task.physicalName,
          projectId: task.stack.projectId,
          sizeGb: Number(task.properties['size'] ?? 1),
          imageId: image === undefined ? null : (compute.findImage(String(image), task.stack.projectId)?.id ?? null),
          serverId: null,
          createdAt: timestamp(),
        };
        task.identify(id);
      }
      await task.wait(latency.resource);
    },
    update: async (task) => {
      const volume = state.volumes[task.resource.physicalId];
      if (volume) volume.sizeGb = Number(task.properties['size'] ?? volume.sizeGb);
      changed();
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      if (state.volumes[task.resource.physicalId]) compute.deleteVolume(task.resource.physicalId);
    },
    exists: (physicalId) => state.volumes[physicalId] !== undefined,
    attributes: ({ physicalId }) => {
      const volume = state.volumes[physicalId];
      if (!volume) return {};
      return {
        id: volume.id,
        name: volume.name,
        size: volume.sizeGb,
        status: volume.serverId ? 'in-use' : 'available',
      };
    },
  };
}

/** Heat's default policy lets only admins of the project use it. Nothing else of the cloud looks at a volume's type. */
function volumeTypeKind({ state, latency, chance }: Foundation): ResourceKind {
  return {
    properties: {
      name: { required: true, live: true },
      ...describeFixedProperties('description', 'is_public', 'metadata', 'projects'),
    },
    create: async (task) => {
      const { userId, projectId } = task.stack;
      if (!state.users.find(({ id }) => id === userId)?.roles[projectId]?.includes('admin')) {
        throw new ResourceFailure('Forbidden', 'You are not authorized to use OS::Cinder::VolumeType.');
      }
      if (task.resource.physicalId === '') task.identify(chance.uuid());
      await task.wait(latency.resource);
    },
    remove: async (task) => task.wait(latency.resource),
    attributes: () => ({}),
  };
}

function attachmentKind({ state, latency }: Foundation, compute: ComputeStore): ResourceKind {
  return {
    properties: {
      instance_uuid: { required: true },
      volume_id: { required: true },
      ...describeFixedProperties('mountpoint'),
    },
    create: async (task) => {
      const volume = state.volumes[String(task.properties['volume_id'])];
      const server = state.servers[String(task.properties['instance_uuid'])];
      if (!volume || !server) throw new ResourceFailure('NotFound', 'The volume or the server could not be found.');
      if (task.resource.physicalId === '') compute.attachVolume(server.id, volume.id);
      task.identify(volume.id);
      await task.wait(latency.resource);
    },
    remove: async (task) => {
      await task.wait(latency.resource);
      const volume = state.volumes[task.resource.physicalId];
      const server = state.servers[volume?.serverId ?? ''];
      if (server && volume) compute.detachVolume(server.id, volume.id);
    },
    attributes: () => ({}),
  };
}

function valueKind(): ResourceKind {
  return {
    properties: { value: { required: true, live: true }, type: { live: true } },
    create: async (task) => {
      task.identify(task.physicalName);
      task.resource.data = { value: task.properties['value'] ?? null };
    },
    update: async (task) => {
      task.resource.data = { value: task.properties['value'] ?? null };
    },
    remove: async () => undefined,
    attributes: ({ data }) => ({ value: data['value'] ?? null }),
  };
}

const CHARACTERS: Readonly<Record<string, string>> = {
  lettersdigits: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  digits: '0123456789',
  hexdigits: '0123456789abcdef',
};

function randomStringKind({ chance }: Foundation): ResourceKind {
  return {
    properties: describeFixedProperties('length', 'character_classes', 'character_sequences', 'salt'),
    create: async (task) => {
      const wanted = stringAt(listAt(task.properties, 'character_classes')[0], 'class') ?? 'lettersdigits';
      const characters = CHARACTERS[wanted] ?? CHARACTERS['lettersdigits'] ?? 'a';
      const length = Math.min(Number(task.properties['length'] ?? 32), 512);
      let value = '';
      while (value.length < length)
        value += characters[Number.parseInt(chance.hex().slice(0, 8), 16) % characters.length];
      task.resource.data = { value };
      task.identify(task.physicalName);
    },
    remove: async () => undefined,
    attributes: ({ data }) => ({ value: data['value'] ?? '' }),
    reference: ({ data }) => data['value'] ?? '',
  };
}

/** A resource type that Heat accepts and that creates nothing. */
function inertKind(): ResourceKind {
  return {
    properties: describeFixedProperties('name', 'public_key', 'save_private_key', 'type', 'user'),
    create: async (task) => task.identify(task.physicalName),
    remove: async () => undefined,
    attributes: () => ({}),
  };
}

function configKind(): ResourceKind {
  return {
    properties: describeFixedProperties('config', 'cloud_config', 'group', 'inputs', 'outputs', 'options'),
    create: async (task) => {
      const cloud = task.properties['cloud_config'];
      const config =
        cloud === undefined ? (stringAt(task.properties, 'config') ?? '') : `#cloud-config\n${JSON.stringify(cloud)}`;
      task.resource.data = { config };
      task.identify(task.physicalName);
    },
    remove: async () => undefined,
    attributes: ({ data }) => ({ config: data['config'] ?? '' }),
    // The server that refers to it in user_data gets the text itself.
    reference: ({ data }) => data['config'] ?? '',
  };
}

/** Heat's TestResource: it fails and waits as its properties say. */
function testKind(): ResourceKind {
  return {
    properties: {
      value: { live: true },
      ...describeFixedProperties(
        'fail',
        'update_replace',
        'wait_secs',
        'action_wait_secs',
        'attr_wait_secs',
        'client_name',
        'entity_name',
        'constraint_prop_secs',
      ),
    },
    create: async (task) => {
      task.identify(task.physicalName);
      await task.wait(Number(task.properties['wait_secs'] ?? 0));
      if (task.properties['fail'] === true || task.properties['fail'] === 'true') {
        throw new ResourceFailure('ValueError', `Test Resource failed ${task.resource.name}`);
      }
    },
    update: async () => undefined,
    remove: async () => undefined,
    attributes: ({ physicalId }) => ({ output: physicalId }),
  };
}
