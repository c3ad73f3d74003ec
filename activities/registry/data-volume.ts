import { VnflowError } from '../../domain/problems.ts';
import { listVolumeAttachments } from '../../openstack/nova.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from '../node/node-session.ts';
import { readOwnStack } from '../stack/find-stack.ts';
import { listPlacedResources } from '../stack/placed-resources.ts';
import { withStack } from '../stack/stack-context.ts';

const VOLUME = 'OS::Cinder::Volume';
/** The disk that a server boots from. */
const ROOT_DEVICE = /^\/dev\/[a-z]*da$/;
/** Hypervisors give the first characters of a volume's id as the serial number of the device. */
const SERIAL_LENGTH = 20;
const IS_MOUNTED = `for link in /dev/disk/by-id/*"$1"*; do
  [ -e "$link" ] && grep -q "^$(readlink -f "$link") " /proc/mounts && exit 0
done
exit 1`;

/**
 * The volume on which a registry has its images: one of its stack that is attached to its server, and that the server
 * does not boot from. Undefined when there is none: the images are on the disk of the server.
 */
export async function findDataVolume(node: NodeContext): Promise<string | undefined> {
  const context = await withStack(node);
  const { session, signal } = context;
  const resources = await listPlacedResources(context, await readOwnStack(context));
  const own = new Set(resources.flatMap(({ type, physicalId }) => (type === VOLUME ? [physicalId] : [])));
  if (own.size === 0) return undefined;
  const attached = await listVolumeAttachments(session, node.node.serverId, { signal });
  return attached.find(({ volumeId, device }) => own.has(volumeId) && !ROOT_DEVICE.test(device ?? ''))?.volumeId;
}

/**
 * A script of a package that knows nothing of volumes leaves the images on the disk of the server.
 * @throws VnflowError NODE_COMMAND_FAILED when the volume is not mounted anywhere
 */
export async function mustBeMounted({ session, signal, node }: NodeContext, volumeId: string): Promise<void> {
  const words = ['sh', '-c', IS_MOUNTED, 'vnflow', volumeId.slice(0, SERIAL_LENGTH)];
  const { code } = await execAsRoot(session, sudoCommand(words), { signal });
  if (code === 0) return;
  throw new VnflowError('NODE_COMMAND_FAILED', {
    detail: `The install script has not mounted the volume ${volumeId} on ${node.nodeName} (REGISTRY_VOLUME), so a heal would lose the images.`,
  });
}
