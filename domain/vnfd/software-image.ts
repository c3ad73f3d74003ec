import { z } from 'zod';
import type { SoftwareImage, Storage, Vdu } from './model.ts';
import { isUri, resolveInPackage } from './package-path.ts';
import { sizeInBytes } from './size.ts';
import { createVnfdProblem, type NodeTemplate, readAs, toscaText } from './tosca.ts';

const SW_IMAGE_DATA = z.object({
  name: z.string().min(1),
  version: toscaText,
  provider: toscaText.nullish(),
  checksum: z.object({ algorithm: z.string(), hash: z.string() }).nullish(),
  container_format: z.string(),
  disk_format: z.string(),
  min_disk: sizeInBytes.nullish(),
  min_ram: sizeInBytes.nullish(),
  size: sizeInBytes.nullish(),
});

const SW_IMAGE = 'tosca.artifacts.nfv.SwImage';

/**
 * The image of a VDU or storage, if it has `sw_image_data`. The artifact may have any name; without a type (the short
 * notation) it is taken for an image, as in Tacker.
 * @throws VnflowError CSAR_INVALID
 */
export function readSoftwareImage(id: string, node: NodeTemplate, path: string): SoftwareImage | undefined {
  const artifacts = Object.values(node.artifacts ?? {}).filter(({ type = SW_IMAGE }) => type === SW_IMAGE);
  if (artifacts.length > 1) {
    throw createVnfdProblem(
      `${path}, node template ${id}: it has ${artifacts.length} artifacts of type ${SW_IMAGE}; keep one.`,
    );
  }
  const file = artifacts[0]?.file;
  const data = node.properties?.['sw_image_data'];
  if (data === undefined || data === null) {
    if (file !== undefined)
      throw createVnfdProblem(`${path}, node template ${id}: an artifact sw_image needs sw_image_data.`);
    return undefined;
  }
  const image = readAs(SW_IMAGE_DATA, data, `${path}, node template ${id}, sw_image_data`);
  return {
    id,
    name: image.name,
    version: image.version,
    containerFormat: image.container_format,
    diskFormat: image.disk_format,
    minDisk: image.min_disk ?? 0,
    minRam: image.min_ram ?? 0,
    size: image.size ?? 0,
    ...(image.provider ? { provider: image.provider } : {}),
    ...(image.checksum ? { checksum: image.checksum } : {}),
    ...(file === undefined ? {} : { imagePath: isUri(file) ? file : resolveInPackage(path, file) }),
  };
}

export function softwareImagesOf(vdus: readonly Vdu[], storages: readonly Storage[]): SoftwareImage[] {
  return [...vdus, ...storages].flatMap(({ softwareImage }) => (softwareImage === undefined ? [] : [softwareImage]));
}
