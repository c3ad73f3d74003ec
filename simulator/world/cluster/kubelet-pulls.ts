import { normalImage, partsOf } from '../images/image-name.ts';
import { pullRefusal } from '../internet/registries.ts';
import { isUp } from '../nodes/node.ts';
import { kubeletRuns } from '../systemd/services.ts';
import type { SimNode, World } from '../world.ts';
import type { ClusterState, KubeObject } from './clusters.ts';
import { type PullStatus, pullStatusOf } from './pull-status.ts';

/** The kubelet's part in a pod that was created with kubectl: it pulls the image. */

const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 300;

/** The time from a failed pull to the next one, simulated seconds: it doubles, as the kubelet's back-off does. */
function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
}

/**
 * Tries to pull the image of a pod on its node. An image that the node has is not pulled again.
 * @returns the new status. Undefined when nothing changes
 */
export function pullFor(world: World, cluster: ClusterState, pod: KubeObject): PullStatus | undefined {
  const { nodeName = '', containers = [] } = (pod['spec'] ?? {}) as {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly image?: string }[];
  };
  const before = pullStatusOf(pod);
  const node = world.nodes.get(cluster.nodes[nodeName]?.server ?? '');
  const image = containers[0]?.image;
  if (before.pulledAt !== undefined || image === undefined || !node || !isUp(node) || !kubeletRuns(node))
    return undefined;
  const now = world.clock.elapsed();
  const { pullFailures = 0, pullTriedAt = 0 } = before;
  if (pullFailures > 0 && now < pullTriedAt + pauseAfter(pullFailures)) return undefined;
  const full = normalImage(image);
  const problem = node.state.images.includes(full) ? undefined : pullRefusal(node, full, loginOf(node, full));
  if (problem !== undefined) return { pullProblem: problem, pullFailures: pullFailures + 1, pullTriedAt: now };
  if (!node.state.images.includes(full)) {
    node.state.images = [...node.state.images, full];
    node.changed();
  }
  return { pulledAt: now };
}

/**
 * The login of the kubelet for an image: `/var/lib/kubelet/config.json` as it was when the kubelet started. The real one
 * reads the file again after five minutes at the latest.
 */
function loginOf(node: SimNode, full: string): string | undefined {
  const text = node.state.units['kubelet']?.loaded ?? '';
  if (text === '') return undefined;
  try {
    const { auths = {} } = JSON.parse(text) as { readonly auths?: Record<string, { readonly auth?: string }> };
    const auth = auths[partsOf(full).host]?.auth;
    return auth === undefined ? undefined : `Basic ${auth}`;
  } catch {
    return undefined; // the kubelet logs the error, and pulls without a login
  }
}
