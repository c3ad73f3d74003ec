import { createHash, randomUUID } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import { BACKUP_KEYS, readTakenBackup, type TakenBackup } from '../../domain/vnf-kinds/kubernetes-cluster/backup.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from '../node/node-session.ts';

/** The limit of the gzipped archive. etcd's default quota is 2 GiB; clusters of this kind need some megabytes. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The archive in base64 with line ends, and the head. */
const MAX_OUTPUT_BYTES = Math.ceil(MAX_BYTES * 1.4) + 64 * 1024;
const TIMEOUT_MS = 600_000;
/** Exit codes of TAKE, besides 1. */
const NO_ETCD = 3;
const TOO_LARGE = 4;

/**
 * Prints the text that `readTakenBackup` reads. etcdctl is only in etcd's container, which is entered through the
 * container runtime: that works without an API server, and without a majority of etcd. All files are 0600 and are
 * removed at the end. The next run removes the files of a run that was cut off: a lock lets only one run at a time.
 */
const TAKE = `umask 077
root=$1 name=$2 max=$3 keys=$4
dir=$root/backup-$name
snapshot=/var/lib/etcd/vnflow-backup.db
pki=/etc/kubernetes/pki
clean() { rm -rf "$root"/backup-* "$snapshot" "$snapshot.part"; }
clean
trap 'clean; exit 1' HUP INT TERM PIPE
(
mkdir "$dir" "$dir/pki" "$dir/pki/etcd" || exit 1
id=$(crictl ps -q --name '^etcd$' --state running | head -n 1)
if [ -z "$id" ]; then echo "no container of etcd runs" >&2; exit ${NO_ETCD}; fi
in_etcd() {
  crictl exec "$id" etcdctl --endpoints https://127.0.0.1:2379 --cacert "$pki/etcd/ca.crt" \\
    --cert "$pki/etcd/healthcheck-client.crt" --key "$pki/etcd/healthcheck-client.key" "$@"
}
in_etcd snapshot save "$snapshot" >&2 || exit 1
# etcd 3.6 has this command only in etcdutl; the install script's phase prepare installs it
if command -v etcdutl > /dev/null 2>&1; then
  etcdutl snapshot status "$snapshot" -w json > "$dir/status" || exit 1
else
  in_etcd snapshot status "$snapshot" -w json > "$dir/status" || exit 1
fi
mv "$snapshot" "$dir/etcd.db" || exit 1
for key in $keys; do cp "$pki/$key" "$dir/pki/$key" || exit 1; done
# without the key of a cluster that encrypts its Secrets nobody could read them in the snapshot
if [ -f "$pki/encryption.yaml" ]; then cp "$pki/encryption.yaml" "$dir/pki/encryption.yaml" || exit 1; fi
tar -C "$dir" -czf "$dir/archive" etcd.db pki || exit 1
size=$(wc -c < "$dir/archive" | tr -d ' ')
if [ "$size" -gt "$max" ]; then echo "$size" >&2; exit ${TOO_LARGE}; fi
cat "$dir/status"
sed -n -e 's#^ *server: https://##p' /etc/kubernetes/admin.conf | head -n 1
sha256sum < "$dir/archive" | cut -c1-64
echo "$size"
base64 "$dir/archive"
)
code=$?
clean
exit "$code"
`;

const LOCKED = `umask 077
root=$1 inner=$2
mkdir -p "$root" && chmod 700 "$root" || exit 1
shift 2
exec flock -o -w 120 "$root/backup.lock" sh -c "$inner" vnflow "$root" "$@"
`;

/**
 * Takes a snapshot of etcd with the keys of the cluster on a control-plane node. Nothing is left on the node.
 * @throws VnflowError SNAPSHOT_FAILED, BACKUP_TOO_LARGE, NODE_PROTOCOL; else as `execAsRoot`
 */
export async function takeBackup({ node, session, signal }: NodeContext): Promise<TakenBackup> {
  const words = ['sh', '-c', LOCKED, 'vnflow', JOB_ROOT, TAKE, randomUUID(), String(MAX_BYTES), BACKUP_KEYS.join(' ')];
  const { code, stdoutBytes, stderr } = await execAsRoot(session, sudoCommand(words), {
    name: 'take backup',
    signal,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (code === TOO_LARGE) {
    throw new VnflowError('BACKUP_TOO_LARGE', {
      detail: `The backup of the cluster from ${node.nodeName} has ${stderr.trim().split('\n').at(-1)} bytes; at most ${MAX_BYTES} are kept.`,
    });
  }
  if (code !== 0) {
    const why = code === NO_ETCD ? 'no etcd runs there' : 'etcd gave no snapshot';
    throw new VnflowError('SNAPSHOT_FAILED', {
      detail: `No backup could be taken on ${node.nodeName}: ${why}.`,
      seen: stderr.slice(-1000),
    });
  }
  const taken = readTakenBackup(stdoutBytes);
  if (createHash('sha256').update(taken.archive).digest('hex') === taken.sha256) return taken;
  throw new VnflowError('NODE_PROTOCOL', {
    detail: `The backup of the cluster was changed on its way from ${node.nodeName}.`,
  });
}
