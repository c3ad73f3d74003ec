import { createHash } from 'node:crypto';
import { VnflowError } from '../../domain/problems.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from '../node/node-session.ts';
import { putFile } from '../node/put-file.ts';

const PUT_TIMEOUT_MS = 900_000;
const DIRECTORY = `${JOB_ROOT}/registry`;

/**
 * Writes the archive of the registry's image into a file on the server. A file that an earlier attempt wrote is taken
 * as it is: its name is the digest of its content.
 * @returns path of the file
 * @throws VnflowError NODE_DISK_FULL, NODE_COMMAND_TRANSIENT; as `execAsRoot`
 */
export async function putImage(context: NodeContext, archive: Buffer): Promise<string> {
  const { session, node, signal, say } = context;
  const name = `${createHash('sha256').update(archive).digest('hex')}.tar`;
  const file = `${DIRECTORY}/${name}`;
  const { code: absent } = await execAsRoot(session, sudoCommand(['test', '-f', file]), { signal });
  if (absent === 0) return file;
  say(`bringing the image of the registry to ${node.nodeName} (${Math.ceil(archive.length / 1_000_000)} MB)`);
  const refused = await putFile(context, { directory: DIRECTORY, name, content: archive, timeoutMs: PUT_TIMEOUT_MS });
  if (refused === undefined) return file;
  throw new VnflowError(/No space left/.test(refused) ? 'NODE_DISK_FULL' : 'NODE_COMMAND_TRANSIENT', {
    detail: `The image of the registry could not be written on ${node.nodeName}.`,
    seen: refused.slice(-1000),
  });
}

/** Removes the archive when the image is loaded. */
export async function removeImage({ session, signal }: NodeContext, file: string): Promise<void> {
  await execAsRoot(session, sudoCommand(['rm', '-f', file]), { signal });
}
