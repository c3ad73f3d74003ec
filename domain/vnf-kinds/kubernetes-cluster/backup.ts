import { z } from 'zod';
import { VnflowError } from '../../problems.ts';

/**
 * Keys that cannot be created again, as paths below /etc/kubernetes/pki of a control-plane node. kubeadm signs all
 * others anew.
 */
export const BACKUP_KEYS = [
  'ca.crt',
  'ca.key',
  'sa.key',
  'sa.pub',
  'front-proxy-ca.crt',
  'front-proxy-ca.key',
  'etcd/ca.crt',
  'etcd/ca.key',
] as const;

/** A backup as it comes from a node. */
export interface TakenBackup {
  /** Gzipped tar: `etcd.db` and `pki/…`. */
  readonly archive: Buffer;
  /** `host:port` in the kubeconfigs of the cluster. */
  readonly endpoint: string;
  /** int64, as text. */
  readonly revision: string;
  readonly totalKeys: number;
  readonly sha256: string;
}

const Status = z.object({ totalKey: z.int().positive() });

/**
 * Reads what the snapshot command prints: the status of `etcdctl snapshot status -w json`, the endpoint in the
 * kubeconfig, the archive's SHA-256 and length, each a line, then the archive in base64.
 * @throws VnflowError NODE_PROTOCOL when the head has another form, or the archive was cut off
 */
export function readTakenBackup(output: Buffer): TakenBackup {
  const lines: string[] = [];
  let at = 0;
  while (lines.length < 4) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) throw makeBackupError('it ended in its head');
    lines.push(output.toString('utf8', at, end).trim());
    at = end + 1;
  }
  const [status = '', endpoint = '', sha256 = '', length = ''] = lines;
  const archive = Buffer.from(output.toString('latin1', at), 'base64');
  if (!/^[0-9a-f]{64}$/.test(sha256) || !/^\d+$/.test(length) || !/^\S+:\d+$/.test(endpoint))
    throw makeBackupError('its head is no such one');
  if (archive.length !== Number(length)) throw makeBackupError(`${archive.length} of ${length} bytes came`);
  return { archive, endpoint, sha256, ...readStatus(status) };
}

/** The revision stays text: `JSON.parse` would round it above 2^53. */
function readStatus(text: string): { revision: string; totalKeys: number } {
  const revision = /"revision":(\d+)/.exec(text)?.[1];
  try {
    const { totalKey } = Status.parse(JSON.parse(text));
    if (revision !== undefined) return { revision, totalKeys: totalKey };
  } catch (error) {
    throw makeBackupError('the status of the snapshot is not readable, or it holds no key', error);
  }
  throw makeBackupError('the status of the snapshot names no revision');
}

function makeBackupError(why: string, cause?: unknown): VnflowError {
  return new VnflowError('NODE_PROTOCOL', { detail: `The backup of the cluster cannot be used: ${why}.`, cause });
}
