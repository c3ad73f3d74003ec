import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SimNode, World } from '../world.ts';
import type { Authority, ClusterState } from './clusters.ts';
import { clusterOnNode, decimal, memberRuns, newMemberId, restoredData, writeMemberData } from './etcd.ts';

/**
 * A snapshot as etcd's, seen from outside: the keys of the whole cluster, filled up to a multiple of 512 bytes, with the SHA-256 of
 * that appended. Bytes are characters. The cluster's CA is not in it: its key lies in /etc/kubernetes/pki only.
 */
export type SnapshotContent = Omit<ClusterState, 'ca'>;

const HASH_BYTES = 32;
const SECTOR = 512;
/** Keys that every Kubernetes cluster has. */
const BASE_KEYS = 640;

const Content = z.looseObject({ id: z.string(), nodes: z.record(z.string(), z.unknown()), etcd: z.looseObject({}) });

export function packSnapshot({ ca: _, ...content }: ClusterState): string {
  const text = Buffer.from(JSON.stringify(content), 'utf8');
  const db = Buffer.alloc(Math.ceil(text.length / SECTOR) * SECTOR, ' ');
  text.copy(db);
  return Buffer.concat([db, sha256(db)]).toString('latin1');
}

/** What the appended hash says: `missing`, or the two hashes if they differ. */
export function snapshotHash(bytes: string): 'good' | 'missing' | { readonly expected: Buffer; readonly got: Buffer } {
  if (bytes.length % SECTOR !== HASH_BYTES) return 'missing';
  const all = Buffer.from(bytes, 'latin1');
  const [db, expected] = [all.subarray(0, -HASH_BYTES), all.subarray(-HASH_BYTES)];
  const got = sha256(db);
  return got.equals(expected) ? 'good' : { expected, got };
}

/** @returns undefined when the file is no database */
export function readSnapshot(bytes: string): SnapshotContent | undefined {
  const end = bytes.length % SECTOR === HASH_BYTES ? -HASH_BYTES : bytes.length;
  try {
    const text = Buffer.from(bytes.slice(0, end), 'latin1').toString('utf8');
    return Content.parse(JSON.parse(text)) as unknown as SnapshotContent;
  } catch {
    return undefined;
  }
}

/** The database of a data directory that was restored and not started: it has the snapshot's keys. */
export function restoredContent(bytes: string): SnapshotContent | undefined {
  try {
    const { restored } = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
    return Content.parse(restored) as unknown as SnapshotContent;
  } catch {
    return undefined;
  }
}

/** Number of keys, as `snapshot status` counts them. */
export function keysIn(content: SnapshotContent): number {
  return BASE_KEYS + 12 * Object.keys(content.nodes).length + Object.keys(content.objects).length;
}

/** etcd makes a member's id of its peer URL and of the cluster's token, and prints it without leading zeros. */
function memberId(peerUrl: string, token: string): string {
  const hash = createHash('sha1').update(`${peerUrl}${token}`).digest('hex');
  return hash.slice(0, 16).replace(/^0+/, '');
}

/** The membership that a restore writes: this one member, with new ids, and the keys of the snapshot. */
export function soleMember(
  content: SnapshotContent,
  { name, address, server, token }: Readonly<Record<'name' | 'address' | 'server' | 'token', string>>,
): { readonly member: string; readonly content: SnapshotContent } {
  const member = memberId(`https://${address}:2380`, token);
  const members = [{ id: member, name, address, learner: false, server, started: true }];
  const etcd = { ...content.etcd, clusterId: decimal(newMemberId()), members, term: 2 };
  return { member, content: { ...content, etcd } };
}

/**
 * etcd starts on a machine whose data directory came from a snapshot: the cluster is there again, as it was then.
 * If members of the old one still run, there are two clusters from now on.
 */
export function startRestored(node: SimNode, ca: Authority): ClusterState | undefined {
  const { world } = node;
  const data = restoredData(node);
  if (!data) return clusterOnNode(world, node)?.cluster;
  const content = data.restored as SnapshotContent;
  const id = isAlive(world, content.id) ? `${content.id}-${randomBytes(3).toString('hex')}` : content.id;
  if (id === content.id) world.clusters.remove(id);
  const cluster: ClusterState = { ...content, id, ca };
  world.clusters.add(cluster);
  writeMemberData(node, { cluster: id, member: data.member });
  return cluster;
}

function isAlive(world: World, id: string): boolean {
  const cluster = world.clusters.get(id);
  return cluster?.etcd.members.some((member) => memberRuns(world, cluster, member)) ?? false;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
