import type { World } from '../world.ts';
import type { ClusterState, Cni, KubeNode } from './clusters.ts';

const POOL = 'ipam.operator.clusterPoolIPv4PodCIDRList';
const MASK_SIZE = 'ipam.operator.clusterPoolIPv4MaskSize';
/** The defaults of Cilium's chart. */
const DEFAULT_POOL = '10.0.0.0/8';
const DEFAULT_MASK_SIZE = '24';

interface Pool {
  /** The first address of the pool as a number. */
  readonly first: number;
  /** How many nodes can get a block. */
  readonly size: number;
  readonly maskSize: number;
}

/** Reads the pool of pod addresses from the values that Cilium was installed with. */
function poolOf({ values }: Cni): Pool {
  const [address = '', prefix = ''] = (values[POOL] ?? DEFAULT_POOL).replace(/^\{|\}$/g, '').split('/');
  const maskSize = Number(values[MASK_SIZE] ?? DEFAULT_MASK_SIZE);
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const width = 2 ** (32 - Number(prefix));
  return { first: number - (number % width), size: Math.floor(2 ** (maskSize - Number(prefix))), maskSize };
}

/**
 * Does the pending work of Cilium's operator: deleted nodes give their blocks back, new nodes get the first free one.
 * @returns the blocks by name of the node
 */
function tendPool(world: World, cluster: ClusterState, cni: Cni): Readonly<Record<string, number>> {
  const held = Object.entries(cni.blocks ?? {}).filter(([name]) => cluster.nodes[name] !== undefined);
  const blocks = Object.fromEntries(held);
  const taken = new Set(Object.values(blocks));
  const { size } = poolOf(cni);
  const waiting = Object.values(cluster.nodes)
    .filter(({ name }) => blocks[name] === undefined)
    .toSorted((left, right) => left.createdAt - right.createdAt);
  let next = 0;
  for (const { name } of waiting) {
    while (taken.has(next)) next += 1;
    if (next >= size) break;
    blocks[name] = next;
    taken.add(next);
    cni.blocks = blocks;
    world.clusters.changed(cluster);
  }
  return blocks;
}

/**
 * Returns the pod CIDR of a node, as Cilium's operator assigns it out of the pool. Undefined without Cilium, and while
 * the pool has no free block: the agent of such a node waits for one, and the node does not become Ready.
 */
export function podCidrOf(world: World, cluster: ClusterState, { name }: KubeNode): string | undefined {
  if (!cluster.cni) return undefined;
  const block = cluster.cni.blocks?.[name] ?? tendPool(world, cluster, cluster.cni)[name];
  if (block === undefined) return undefined;
  const { first, maskSize } = poolOf(cluster.cni);
  const number = first + block * 2 ** (32 - maskSize);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')}/${maskSize}`;
}
