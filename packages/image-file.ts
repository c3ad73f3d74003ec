/** Extensions that Tacker takes for VM images (`tacker/common/csar_utils.py`): neither hashed against the manifest nor listed as artifacts. */
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
 * Is this entry of a CSAR a VM image, by its name?
 * @param path path inside the archive
 */
export function isImageFile(path: string): boolean {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return path.includes('.') && IMAGE_EXTENSIONS.has(extension);
}
