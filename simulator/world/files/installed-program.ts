import type { SimNode } from '../world.ts';
import { PROGRAM_DIRECTORIES, programIn } from './programs.ts';
import { entryAt } from './tree.ts';

/** Whether the machine has a command, as a shell finds it: an executable file in one of the usual directories. */
export function installedProgram(
  node: SimNode,
  name: string,
): { readonly path: string; readonly version: string } | undefined {
  for (const directory of PROGRAM_DIRECTORIES) {
    const path = `${directory}/${name}`;
    const entry = entryAt(node.tree, path);
    if (entry?.kind !== 'file' || (entry.mode & 0o111) === 0) continue;
    const program = programIn(entry.bytes);
    if (program?.name === name) return { path, version: program.version };
  }
  return undefined;
}
