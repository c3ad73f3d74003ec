import { z } from 'zod';
import { createTemplateProblem } from '../standard-user-data/hot.ts';
import type { ConnectionPoint, Vdu } from '../vnfd/model.ts';
import type { Topology } from '../vnfd/topology.ts';
import { type NodeTemplate, readAs } from '../vnfd/tosca.ts';
import { volumeImage } from './block-storage.ts';
import type { TranslateNode } from './fragment.ts';
import { serverGroupOf } from './server-groups.ts';

/** `boot_data` is text (SOL001 2.6.1) or has its text in `content_or_file_data.content` (3.3.1). */
const BOOT_DATA = z.union([
  z.string(),
  z
    .object({ content_or_file_data: z.object({ content: z.string() }) })
    .transform(({ content_or_file_data: { content } }) => content),
]);

/** The server of a `Vdu.Compute`, with its ports and volumes. */
export const translateCompute: TranslateNode = (id, node, { topology }) => {
  const vdu = topology.flavour.vdus.find((one) => one.id === id);
  if (!vdu) throw createTemplateProblem(`${topology.path}, node template ${id}: it is no VDU of the flavour.`);
  const group = serverGroupOf(id, topology);
  const userData = readBootData(id, node, topology);
  const volumes = volumeMappings(vdu, topology);
  return {
    inVdu: {
      [id]: {
        resources: {
          [id]: {
            type: 'OS::Nova::Server',
            properties: {
              name: vdu.name,
              flavor: { get_param: 'flavor' },
              ...(vdu.softwareImage ? { image: { get_param: 'image' } } : {}),
              networks: orderedPoints(id, topology).map((point) => ({ port: { get_resource: point.id } })),
              ...(volumes.length === 0 ? {} : { block_device_mapping_v2: volumes }),
              ...(group === undefined ? {} : { scheduler_hints: { group: { get_param: 'server_group' } } }),
              ...(userData === undefined ? {} : { user_data: userData, user_data_format: 'RAW' }),
            },
          },
        },
        values: {
          flavor: { get_param: ['nfv', 'VDU', id, 'computeFlavourId'] },
          ...(vdu.softwareImage ? { image: { get_param: ['nfv', 'VDU', id, 'vcImageId'] } } : {}),
          ...(group === undefined ? {} : { server_group: { get_resource: group } }),
        },
      },
    },
  };
};

/**
 * The volumes of a server. Without an image of its own it boots from the first volume that has one. A volume outlives
 * its server: a heal attaches it again.
 */
function volumeMappings(vdu: Vdu, topology: Topology): Record<string, unknown>[] {
  const boot = vdu.softwareImage ? undefined : vdu.storageIds.find((id) => volumeImage(id, topology) !== undefined);
  if (!vdu.softwareImage && boot === undefined) {
    throw createTemplateProblem(
      `${topology.path}, node template ${vdu.id}: it has no sw_image_data, and none of its virtual_storage has; one of them must name the image that the server boots from.`,
    );
  }
  return vdu.storageIds.map((id) => ({
    volume_id: { get_resource: id },
    boot_index: id === boot ? 0 : -1,
    delete_on_termination: false,
  }));
}

/** The connection points of a VDU by their `order`; those without one come last. */
function orderedPoints(vduId: string, { flavour, nodes }: Topology): ConnectionPoint[] {
  const orderOf = ({ id }: ConnectionPoint) => {
    const order = nodes.get(id)?.properties?.['order'];
    return typeof order === 'number' ? order : Number.MAX_SAFE_INTEGER;
  };
  return flavour.connectionPoints.filter((point) => point.vduId === vduId).sort((a, b) => orderOf(a) - orderOf(b));
}

function readBootData(id: string, node: NodeTemplate, { path }: Topology): string | undefined {
  const given = node.properties?.['boot_data'];
  return given === undefined || given === null
    ? undefined
    : readAs(BOOT_DATA, given, `${path}, node template ${id}, boot_data`);
}
