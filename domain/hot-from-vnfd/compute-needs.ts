import { z } from 'zod';
import type { ComputeNeeds } from '../compute-flavours.ts';
import { binarySizeInBytes } from '../vnfd/size.ts';
import type { Topology } from '../vnfd/topology.ts';
import { readAs } from '../vnfd/tosca.ts';

const CAPABILITIES = z.object({
  virtual_compute: z
    .object({
      properties: z
        .object({
          virtual_cpu: z.object({ num_virtual_cpu: z.int().min(1).optional() }).nullish(),
          virtual_memory: z.object({ virtual_mem_size: binarySizeInBytes.optional() }).nullish(),
          virtual_local_storage: z.array(z.object({ size_of_storage: binarySizeInBytes.optional() })).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
const IMAGE = z.object({
  sw_image_data: z.object({ min_disk: binarySizeInBytes.nullish(), min_ram: binarySizeInBytes.nullish() }).nullish(),
});
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/**
 * What the servers of a flavour need, by VDU. A VDU that names its Nova flavor (`requested_additional_capability_name`)
 * is left out. An image asks for memory and disk, too.
 * @throws VnflowError CSAR_INVALID naming the node template
 */
export function computeNeeds({ path, flavour, nodes }: Topology): Record<string, ComputeNeeds> {
  const unnamed = flavour.vdus.filter(({ computeFlavour }) => computeFlavour === undefined);
  return Object.fromEntries(
    unnamed.map(({ id, softwareImage, storageIds }) => {
      const where = `${path}, node template ${id}, capabilities`;
      const properties = readAs(CAPABILITIES, nodes.get(id)?.capabilities ?? {}, where).virtual_compute?.properties;
      const bootVolume = flavour.storages.find((one) => one.softwareImage && storageIds.includes(one.id))?.id;
      const bootNode = softwareImage ? id : (bootVolume ?? id);
      const image = readAs(IMAGE, nodes.get(bootNode)?.properties ?? {}, `${path}, node template ${bootNode}`);
      const disks = properties?.virtual_local_storage?.map(({ size_of_storage: size = 0 }) => size) ?? [];
      // an image on a volume needs room there, not on the disk of the flavor
      const imageDisk = softwareImage ? (image.sw_image_data?.min_disk ?? 0) : 0;
      const disk = Math.max(
        disks.reduce((sum, size) => sum + size, 0),
        imageDisk,
      );
      const memory = Math.max(properties?.virtual_memory?.virtual_mem_size ?? 0, image.sw_image_data?.min_ram ?? 0);
      return [
        id,
        {
          cores: properties?.virtual_cpu?.num_virtual_cpu ?? 1,
          ram: Math.ceil(memory / MIB),
          disk: Math.ceil(disk / GIB),
        },
      ];
    }),
  );
}
