import { z } from 'zod';
import type { SoftwareImage } from '../vnfd/model.ts';
import { binarySizeInBytes } from '../vnfd/size.ts';
import type { Topology } from '../vnfd/topology.ts';
import { readAs } from '../vnfd/tosca.ts';
import type { TranslateNode } from './fragment.ts';

const STORAGE = z.object({ virtual_block_storage_data: z.object({ size_of_storage: binarySizeInBytes }) });
const GIB = 1024 ** 3;

/** A Cinder volume of its own for each server of each VDU that requires the storage. */
export const translateBlockStorage: TranslateNode = (id, node, { topology }) => {
  const where = `${topology.path}, node template ${id}`;
  const { size_of_storage: bytes } = readAs(STORAGE, node.properties ?? {}, where).virtual_block_storage_data;
  const hasImage = volumeImage(id, topology) !== undefined;
  const part = {
    resources: {
      [id]: {
        type: 'OS::Cinder::Volume',
        properties: {
          size: Math.max(1, Math.ceil(bytes / GIB)),
          ...(hasImage ? { image: { get_param: `${id}_image` } } : {}),
        },
      },
    },
    values: hasImage ? { [`${id}_image`]: { get_param: ['nfv', 'VDU', id, 'vcImageId'] } } : {},
  };
  const users = topology.flavour.vdus.filter(({ storageIds }) => storageIds.includes(id));
  return { inVdu: Object.fromEntries(users.map((vdu) => [vdu.id, part])) };
};

/** The image that a volume is made from, if any. */
export function volumeImage(storageId: string, { flavour }: Topology): SoftwareImage | undefined {
  return flavour.storages.find(({ id }) => id === storageId)?.softwareImage;
}
