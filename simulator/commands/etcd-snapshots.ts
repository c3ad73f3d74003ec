import { createHash } from 'node:crypto';
import type { ClusterState } from '../world/cluster/clusters.ts';
import { writeMemberData } from '../world/cluster/etcd.ts';
import {
  keysIn,
  packSnapshot,
  readSnapshot,
  restoredContent,
  snapshotHash,
  soleMember,
} from '../world/cluster/etcd-snapshot.ts';
import { installedProgram } from '../world/files/installed-program.ts';
import type { SimNode } from '../world/world.ts';
import { type Arguments, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

/** The directories of a machine that a container has mounted. */
export interface Mounts {
  readonly host: SimNode;
  /** Pairs of a path on the machine and a path in the container. */
  readonly mounts: readonly { readonly source: string; readonly destination: string }[];
  /** The version of etcd in the image. Undefined in a container of a running etcd. */
  readonly version?: string;
}

/** Translates a path in the container to a path on the machine. Undefined when the path is in the image only. */
function onHost(path: string, { mounts }: Mounts): string | undefined {
  const mount = mounts.find(({ destination }) => path === destination || path.startsWith(`${destination}/`));
  return mount && mount.source + path.slice(mount.destination.length);
}

/** etcdctl 3.5 prints `Deprecated: …` for these verbs; 3.6 removed them. */
function deprecated(output: Output, verb: string): Output {
  return { ...output, stderr: `Deprecated: Use \`etcdutl snapshot ${verb}\` instead.\n\n${output.stderr ?? ''}` };
}

/** Runs `etcdctl snapshot status` and `restore`, which read files and need no running etcd. Not in etcd 3.6. */
export function offlineSnapshot(
  verb: string,
  parsed: Arguments,
  { room, version }: { readonly room: Mounts; readonly version: string },
): Output | undefined {
  if (verb !== 'status' && verb !== 'restore') return undefined;
  if (version.startsWith('3.6.')) return failure(1, `Error: unknown command "${verb}" for "etcdctl snapshot"`);
  return deprecated(snapshotFile(verb, parsed, room), verb);
}

/** What etcdutl does with the file of a snapshot, and etcdctl did before 3.6. */
function snapshotFile(verb: 'status' | 'restore', parsed: Arguments, room: Mounts): Output {
  const [, , file] = parsed.operands;
  if (file === undefined) return failure(128, `Error: snapshot ${verb} requires exactly one argument`);
  return verb === 'status'
    ? status(file, parsed.value('-w', '--write-out') ?? 'simple', room)
    : restore(file, parsed, room);
}

const ETCDUTL_VALUES = new Set(
  '-w --write-out --name --initial-cluster --initial-advertise-peer-urls --initial-cluster-token --data-dir'.split(' '),
);

/** etcdutl on the machine itself: it works with files, not with a running etcd. */
export const ETCDUTL: CommandTable = {
  etcdutl: {
    run: (args, { node }) => {
      const parsed = parseArguments(args, ETCDUTL_VALUES);
      const [object = '', verb] = parsed.operands;
      const version = installedProgram(node, 'etcdutl')?.version ?? '';
      if (object === 'version')
        return ok(`etcdutl version: ${version}\nAPI version: ${version.replace(/\.\d+$/, '')}\n`);
      if (object !== 'snapshot' || (verb !== 'status' && verb !== 'restore'))
        return failure(1, `Error: unknown command "${object}" for "etcdutl"`);
      return snapshotFile(verb, parsed, { host: node, mounts: [{ source: '', destination: '' }] });
    },
  },
};

/** Runs `snapshot save`. The snapshot contains the whole cluster. */
export function saveSnapshot(
  file: string | undefined,
  { cluster, endpoints, room }: { readonly cluster: ClusterState; readonly endpoints: string; readonly room: Mounts },
): Output {
  if (file === undefined) return failure(128, 'Error: snapshot save expects one argument');
  if (endpoints.includes(','))
    return failure(
      128,
      `Error: snapshot must be requested to one selected node, not multiple [${endpoints.replaceAll(',', ' ')}]`,
    );
  const path = onHost(file, room);
  if (path === undefined || !room.host.root.exists(path.slice(0, path.lastIndexOf('/'))))
    return failure(4, `Error: could not open ${file}.part (open ${file}.part: no such file or directory)`);
  room.host.root.write(path, packSnapshot(cluster), { mode: 0o600 });
  const info = (text: string) =>
    `{"level":"info","ts":"2026-11-21T10:25:19.842Z","caller":"snapshot/v3_snapshot.go:65","msg":"${text}","path":"${file}"}\n`;
  return { stdout: `Snapshot saved at ${file}\n`, stderr: info('fetching snapshot') + info('saved'), exitCode: 0 };
}

function status(file: string, format: string, room: Mounts): Output {
  const path = onHost(file, room);
  if (path === undefined || !room.host.root.exists(path))
    return failure(1, `Error: stat ${file}: no such file or directory`);
  const bytes = room.host.root.read(path);
  const content = readSnapshot(bytes) ?? restoredContent(bytes);
  if (!content) return failure(1, 'Error: invalid database');
  const hash = createHash('sha256').update(bytes.slice(0, -32), 'latin1').digest().readUInt32BE(0);
  const [revision, keys] = [content.etcd.revision, keysIn(content)];
  const size = bytes.length - (bytes.length % 512);
  if (format === 'json') return ok(`{"hash":${hash},"revision":${revision},"totalKey":${keys},"totalSize":${size}}\n`);
  const human = size < 1e6 ? `${Math.round(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`;
  return ok(`${hash.toString(16)}, ${revision}, ${keys}, ${human}\n`);
}

function restore(file: string, parsed: Arguments, room: Mounts): Output {
  const name = parsed.value('--name') ?? 'default';
  const peers = parsed.value('--initial-advertise-peer-urls') ?? 'http://localhost:2380';
  const initial = parsed.value('--initial-cluster') ?? 'default=http://localhost:2380';
  const refusal = bootstrapProblem(name, peers, initial);
  if (refusal !== undefined) return failure(1, `Error: ${refusal}`);
  const dataDirectory = parsed.value('--data-dir') ?? `${name}.etcd`;
  const target = onHost(dataDirectory, room);
  // the path is in the container's own layer: the restore works, and its result disappears with the container
  if (target === undefined) return ok();
  const { root } = room.host;
  if (root.exists(target) && root.list(target).length > 0)
    return failure(1, `Error: data-dir "${dataDirectory}" not empty or could not be read`);
  const path = onHost(file, room);
  if (path === undefined || !root.exists(path)) return failure(1, `Error: open ${file}: no such file or directory`);
  const bytes = root.read(path);
  const hash = parsed.has('--skip-hash-check') ? 'good' : snapshotHash(bytes);
  // like real etcdctl, a failed check leaves the directory that was created before it
  if (hash !== 'good') root.makeDirectory(`${target}/member/snap`, true);
  if (hash === 'missing') return failure(1, 'Error: snapshot missing hash but --skip-hash-check=false');
  if (hash !== 'good')
    return failure(1, `Error: expected sha256 [${[...hash.expected].join(' ')}], got [${[...hash.got].join(' ')}]`);
  const content = readSnapshot(bytes);
  if (!content) return failure(2, 'panic: failed to open database: invalid database');
  const address = /^https?:\/\/([\d.]+):2380$/.exec(peers)?.[1] ?? '';
  const token = parsed.value('--initial-cluster-token') ?? 'etcd-cluster';
  const sole = soleMember(content, { name, address, server: room.host.id, token });
  writeMemberData(room.host, { cluster: content.id, member: sole.member, restored: sole.content }, target);
  const info = (text: string) =>
    `{"level":"info","ts":"2026-11-21T10:25:19.842Z","caller":"snapshot/v3_snapshot.go:248","msg":"${text}","path":"${file}","wal-dir":"${dataDirectory}/member/wal","data-dir":"${dataDirectory}","snap-dir":"${dataDirectory}/member/snap"}\n`;
  return { stdout: '', stderr: info('restoring snapshot') + info('restored snapshot'), exitCode: 0 };
}

/** Checks like etcd's `VerifyBootstrap`, for members with one URL each. */
function bootstrapProblem(name: string, peers: string, initial: string): string | undefined {
  const members = new Map(initial.split(',').map((entry) => entry.split('=', 2) as [string, string | undefined]));
  const own = members.get(name);
  if (own === undefined) return `couldn't find local name "${name}" in the initial cluster configuration`;
  if (own !== peers)
    return `--initial-cluster has ${name}=${own} but missing from --initial-advertise-peer-urls=${peers}`;
  return undefined;
}
