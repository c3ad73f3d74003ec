import { randomUUID } from 'node:crypto';
import { type Changes, childrenOf, entryAt, removeAll, setEntry } from '../files/tree.ts';
import type { SimNode } from '../world.ts';
import type { VolumeContent } from './volumes.ts';

/** A volume that is attached to a machine. */
export interface BlockDevice {
  /** For example `/dev/vdb`. */
  readonly path: string;
  readonly volumeId: string;
}

const FIRST_LETTER = 'b'.charCodeAt(0);
/** virtio gives the first characters of the id as the serial number. */
const SERIAL_LENGTH = 20;

/** The attached volumes: the machine's own disk is /dev/vda. */
export function devicesOf({ state }: SimNode): readonly BlockDevice[] {
  return (state.disks ?? []).map((volumeId, index) => ({
    volumeId,
    path: `/dev/vd${String.fromCharCode(FIRST_LETTER + index)}`,
  }));
}

/** Finds a device by its path, or by a link below /dev/disk. */
export function deviceAt(node: SimNode, path: string): BlockDevice | undefined {
  const real = node.root.exists(path) ? node.root.real(path) : path;
  return devicesOf(node).find((device) => device.path === real);
}

/** Shows the attached volumes in /dev, as udev does. */
function showDevices(node: SimNode): void {
  const { tree } = node;
  const directory = '/dev/disk/by-id';
  if (entryAt(tree, '/dev/disk')) removeAll(tree, '/dev/disk');
  for (const name of childrenOf(tree, '/dev')) if (/^vd[b-z]$/.test(name)) setEntry(tree, `/dev/${name}`, null);
  const devices = devicesOf(node);
  if (devices.length === 0) return;
  node.root.makeDirectory(directory, true);
  for (const { path, volumeId } of devices) {
    setEntry(tree, path, { kind: 'file', bytes: '', mode: 0o660, owner: 'root', at: tree.now() });
    node.root.link(`../../${path.slice('/dev/'.length)}`, `${directory}/virtio-${volumeId.slice(0, SERIAL_LENGTH)}`);
  }
}

export function attachDisk(node: SimNode, volumeId: string): void {
  node.state.disks = [...new Set([...(node.state.disks ?? []), volumeId])];
  showDevices(node);
  node.changed();
}

export function detachDisk(node: SimNode, volumeId: string): void {
  for (const [at, mounted] of Object.entries(node.state.volumeMounts ?? {})) {
    if (mounted === volumeId) unmountVolume(node, at);
  }
  node.state.disks = (node.state.disks ?? []).filter((other) => other !== volumeId);
  showDevices(node);
  node.changed();
}

export function contentOf(node: SimNode, { volumeId }: BlockDevice): VolumeContent {
  return node.world.volumes.content(volumeId);
}

/** Makes an empty file system on a device. */
export function makeFilesystem(node: SimNode, device: BlockDevice, type: string): string {
  const uuid = randomUUID();
  contentOf(node, device).filesystem = { type, uuid, files: {} };
  node.world.volumes.save(device.volumeId);
  return uuid;
}

/** Mounts the file system of a device: its files stand below the directory until it is unmounted. */
export function mountVolume(node: SimNode, device: BlockDevice, at: string): void {
  const files = contentOf(node, device).filesystem?.files ?? {};
  for (const name of childrenOf(node.tree, at)) removeAll(node.tree, `${at}/${name}`);
  for (const [path, entry] of Object.entries(files)) setEntry(node.tree, `${at}${path}`, entry);
  node.state.volumeMounts = { ...node.state.volumeMounts, [at]: device.volumeId };
  node.state.mounts = [...new Set([...(node.state.mounts ?? []), at])];
  node.changed();
}

export function unmountVolume(node: SimNode, at: string): void {
  const { [at]: volumeId, ...rest } = node.state.volumeMounts ?? {};
  if (volumeId === undefined) return;
  keepFiles(node, at, volumeId);
  for (const name of childrenOf(node.tree, at)) removeAll(node.tree, `${at}/${name}`);
  node.state.volumeMounts = rest;
  node.state.mounts = (node.state.mounts ?? []).filter((other) => other !== at);
  node.changed();
}

/** When a machine is switched off, its volumes keep what is on them. */
export function unmountAll(node: SimNode): void {
  for (const at of Object.keys(node.state.volumeMounts ?? {})) unmountVolume(node, at);
}

/** Mounts what /etc/fstab names; what is missing stays away. */
export function mountFromTable(node: SimNode): void {
  for (const { device: name, at } of tableOf(node)) {
    const device = deviceAt(node, name);
    if (device && contentOf(node, device).filesystem && node.root.exists(at)) mountVolume(node, device, at);
  }
}

/** The lines of /etc/fstab about volumes. */
export function tableOf(node: SimNode): { readonly device: string; readonly at: string }[] {
  return node.root
    .readText('/etc/fstab')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([device = '', at = '']) => (device.startsWith('/dev/') && at.startsWith('/') ? [{ device, at }] : []));
}

function keepFiles(node: SimNode, at: string, volumeId: string): void {
  const { filesystem } = node.world.volumes.content(volumeId);
  if (!filesystem) return;
  const files: Changes = {};
  for (const [path, entry] of Object.entries(node.state.files)) {
    if (path.startsWith(`${at}/`) && entry) files[path.slice(at.length)] = entry;
  }
  filesystem.files = files;
  node.world.volumes.save(volumeId);
}
