import { createHash } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from '../node/node-session.ts';

const PUT_TIMEOUT_MS = 900_000;
const DIRECTORY = `${JOB_ROOT}/registry`;

/** Reads the archive from standard input. The file gets its name only when it is whole. */
const PUT = `umask 077
directory=$1 name=$2
mkdir -p "$directory" && chmod 700 "$directory" || exit 1
cat > "$directory/$name.part" && mv "$directory/$name.part" "$directory/$name"
`;

/**
 * Writes the archive of the registry's image into a file on the server. A file that an earlier attempt wrote is taken
 * as it is: its name is the digest of its content.
 * @returns path of the file
 * @throws VnflowError NODE_DISK_FULL, NODE_COMMAND_TRANSIENT; as `execAsRoot`
 */
export async function putImage({ session, node, signal, say }: NodeContext, archive: Buffer): Promise<string> {
  const name = `${createHash('sha256').update(archive).digest('hex')}.tar`;
  const file = `${DIRECTORY}/${name}`;
  const { code: absent } = await execAsRoot(session, sudoCommand(['test', '-f', file]), { signal });
  if (absent === 0) return file;
  say(`bringing the image of the registry to ${node.nodeName} (${Math.ceil(archive.length / 1_000_000)} MB)`);
  const { code, stderr } = await execAsRoot(session, sudoCommand(['sh', '-c', PUT, 'vnflow', DIRECTORY, name]), {
    stdin: archive,
    signal,
    timeoutMs: PUT_TIMEOUT_MS,
  });
  if (code === 0) return file;
  throw new VnflowError(/No space left/.test(stderr) ? 'NODE_DISK_FULL' : 'NODE_COMMAND_TRANSIENT', {
    detail: `The image of the registry could not be written on ${node.nodeName}.`,
    seen: stderr.slice(-1000),
  });
}

/** Removes the archive when the image is loaded. */
export async function removeImage({ session, signal }: NodeContext, file: string): Promise<void> {
  await execAsRoot(session, sudoCommand(['rm', '-f', file]), { signal });
}
