import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SimNode, World } from '../world.ts';
import type { Authority, ClusterState } from './clusters.ts';
import { clusterOnNode, convertToDecimal, memberRuns, newMemberId, restoredData, writeMemberData } from './etcd.ts';

/**
 * The content of a snapshot. Like etcd's, the file contains the keys of the whole cluster, filled up to a multiple of
 * 512 bytes, and the SHA-256 of that. Bytes are characters. The cluster's CA is not included: its key lies in
 * /etc/kubernetes/pki only.
 */
export type SnapshotContent = Omit<ClusterState, 'ca'>;

const HASH_BYTES = 32;
const SECTOR = 512;
/** The number of keys that every Kubernetes cluster has. */
const BASE_KEYS = 640;

const Content = z.looseObject({ id: z.string(), nodes: z.record(z.string(), z.unknown()), etcd: z.looseObject({}) });

export function packSnapshot({ ca: _, ...content }: ClusterState): string {
  const text = Buffer.from(JSON.stringify(content), 'utf8');
  const db = Buffer.alloc(Math.ceil(text.length / SECTOR) * SECTOR, ' ');
  text.copy(db);
  return Buffer.concat([db, sha256(db)]).toString('latin1');
}

/** Checks the appended hash. @returns `missing`, or both hashes when they differ */
export function snapshotHash(bytes: string): 'good' | 'missing' | { readonly expected: Buffer; readonly got: Buffer } {
  if (bytes.length % SECTOR !== HASH_BYTES) return 'missing';
  const all = Buffer.from(bytes, 'latin1');
  const [db, expected] = [all.subarray(0, -HASH_BYTES), all.subarray(-HASH_BYTES)];
  const got = sha256(db);
  return got.equals(expected) ? 'good' : { expected, got };
}

/** Reads a snapshot. @returns undefined when the file is no database */
export function readSnapshot(bytes: string): SnapshotContent | undefined {
  const end = bytes.length % SECTOR === HASH_BYTES ? -HASH_BYTES : bytes.length;
  try {
    const text = Buffer.from(bytes.slice(0, end), 'latin1').toString('utf8');
    return Content.parse(JSON.parse(text)) as unknown as SnapshotContent;
  } catch {
    return undefined;
  }
}

/** Reads the database of a data directory that was restored and not started: it has the keys of the snapshot. */
export function restoredContent(bytes: string): SnapshotContent | undefined {
  try {
    const { restored } = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'));
    return Content.parse(restored) as unknown as SnapshotContent;
  } catch {
    return undefined;
  }
}

/** Returns the number of keys that `snapshot status` prints. */
export function keysIn(content: SnapshotContent): number {
  return BASE_KEYS + 12 * Object.keys(content.nodes).length + Object.keys(content.objects).length;
}

/**
 * Derives the id of a member from its peer URL and the token of the cluster, like etcd; printed without leading zeros.
 */
function memberId(peerUrl: string, token: string): string {
  const hash = createHash('sha1').update(`${peerUrl}${token}`).digest('hex');
  return hash.slice(0, 16).replace(/^0+/, '');
}

/** Makes the membership that a restore writes: this one member with new ids, and the keys of the snapshot. */
export function soleMember(
  content: SnapshotContent,
  { name, address, server, token }: Readonly<Record<'name' | 'address' | 'server' | 'token', string>>,
): { readonly member: string; readonly content: SnapshotContent } {
  const member = memberId(`https://${address}:2380`, token);
  const members = [{ id: member, name, address, learner: false, server, started: true }];
  const etcd = { ...content.etcd, clusterId: convertToDecimal(newMemberId()), members, term: 2 };
  return { member, content: { ...content, etcd } };
}

/**
 * Starts etcd on a machine whose data directory came from a snapshot: the cluster exists again in its old state. If
 * members of the old cluster still run, there are two clusters.
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
