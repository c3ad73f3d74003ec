import { z } from 'zod';
import type { SoftwareImage, Storage, Vdu } from './model.ts';
import { isUri, resolveInPackage } from './package-path.ts';
import { invalid, type NodeTemplate, readAs, toscaText } from './tosca.ts';

/** TOSCA scalar-unit.size: decimal and binary units, as TOSCA 1.2 §3.3.6.4 lists them. */
const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  kib: 1024,
  mb: 1e6,
  mib: 1024 ** 2,
  gb: 1e9,
  gib: 1024 ** 3,
  tb: 1e12,
  tib: 1024 ** 4,
};

const bytes = z.union([z.number(), z.string()]).transform((written, context) => {
  if (typeof written === 'number') return written;
  const [, amount = '', unit = ''] = written.match(/^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*$/i) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (typeof factor === 'number') return Math.round(Number(amount) * factor);
  context.addIssue({ code: 'custom', message: 'must be a size such as "2 GB"' });
  return z.NEVER;
});

const SW_IMAGE_DATA = z.object({
  name: z.string().min(1),
  version: toscaText,
  provider: toscaText.nullish(),
  checksum: z.object({ algorithm: z.string(), hash: z.string() }).nullish(),
  container_format: z.string(),
  disk_format: z.string(),
  min_disk: bytes.nullish(),
  min_ram: bytes.nullish(),
  size: bytes.nullish(),
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
    throw invalid(`${path}, node template ${id}: it has ${artifacts.length} artifacts of type ${SW_IMAGE}; keep one.`);
  }
  const file = artifacts[0]?.file;
  const data = node.properties?.['sw_image_data'];
  if (data === undefined || data === null) {
    if (file !== undefined) throw invalid(`${path}, node template ${id}: an artifact sw_image needs sw_image_data.`);
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
