import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import type { NodeContext } from './node-session.ts';

/** Reads a file from standard input. The file gets its name only when it is whole. */
const PUT = `umask 077
directory=$1 name=$2
mkdir -p "$directory" && chmod 700 "$directory" || exit 1
cat > "$directory/$name.part" && mv "$directory/$name.part" "$directory/$name"
`;

interface FileOnNode {
  /** Absolute path. It is made for root only when it does not exist. */
  readonly directory: string;
  readonly name: string;
  readonly content: Buffer;
  readonly timeoutMs: number;
}

/**
 * Writes a file on a node, as root and for root only.
 * @returns undefined, or what the node printed when the file could not be written
 * @throws VnflowError as `execAsRoot`
 */
export async function putFile(
  { session, signal }: NodeContext,
  { directory, name, content, timeoutMs }: FileOnNode,
): Promise<string | undefined> {
  const { code, stderr } = await execAsRoot(session, sudoCommand(['sh', '-c', PUT, 'vnflow', directory, name]), {
    name: 'put file',
    stdin: content,
    signal,
    timeoutMs,
  });
  return code === 0 ? undefined : stderr;
}
