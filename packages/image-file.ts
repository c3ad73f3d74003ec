/**
 * Extensions that Tacker counts as VM images (`tacker/common/csar_utils.py`). The hash of an image is not checked
 * against the manifest, and an image is not listed as an artifact.
 */
const IMAGE_EXTENSIONS: ReadonlySet<string> = new Set([
  'raw',
  'vhd',
  'vhdx',
  'vmdk',
  'vdi',
  'iso',
  'ploop',
  'qcow2',
  'aki',
  'ari',
  'ami',
  'img',
]);

/**
 * Does the name of this CSAR entry have an extension of a VM image?
 * @param path path inside the archive
 */
export function isImageFile(path: string): boolean {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return path.includes('.') && IMAGE_EXTENSIONS.has(extension);
}
