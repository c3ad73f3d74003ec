import type { SimNode } from '../world.ts';
import { PROGRAM_DIRECTORIES, programIn } from './programs.ts';
import { entryAt } from './tree.ts';

/** Finds a command like a shell: an executable file in one of the usual directories. Undefined when there is none. */
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
