import type { SimNode } from '../world.ts';

/** The environment of a unit, or the reason why systemd cannot make it. */
export type UnitEnvironment =
  | { readonly variables: Readonly<Record<string, string>> }
  | { readonly problem: 'Failed to load environment files: No such file or directory' };

/**
 * Reads `Environment=` and `EnvironmentFile=` of a unit's files.
 * @param texts the unit file and its drop-ins, in the order in which systemd reads them
 */
export function unitEnvironment({ root }: SimNode, texts: readonly string[]): UnitEnvironment {
  const variables: Record<string, string> = {};
  const lines = texts.flatMap((text) => text.split('\n'));
  for (const line of lines) {
    const assigned = /^Environment=(.*)$/.exec(line)?.[1];
    if (assigned === '') for (const name of Object.keys(variables)) delete variables[name];
    else if (assigned !== undefined) Object.assign(variables, assignments(assigned));
  }
  // the files win over `Environment=`, wherever they stand
  for (const line of lines) {
    const [, optional, path] = /^EnvironmentFile=(-?)(\/\S+)\s*$/.exec(line) ?? [];
    if (path === undefined) continue;
    if (root.exists(path)) Object.assign(variables, environmentFile(root.readText(path)));
    else if (optional === '') return { problem: 'Failed to load environment files: No such file or directory' };
  }
  return { variables };
}

/** The value of `Environment=`: assignments, each perhaps in double quotes. A doubled percent sign is one. */
export function assignments(value: string): Record<string, string> {
  const words = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return Object.fromEntries(
    words.flatMap((word) => {
      const at = word.indexOf('=');
      return at > 0 ? [[word.slice(0, at), word.slice(at + 1).replaceAll('%%', '%')]] : [];
    }),
  );
}

/** An environment file: one assignment per line. A percent sign means nothing there. */
function environmentFile(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value = ''] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trim().replace(/^(["'])(.*)\1$/, '$2')]];
    }),
  );
}
