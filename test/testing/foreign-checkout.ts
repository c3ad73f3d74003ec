import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Packages in a checkout of somebody else's repository. A checkout has sources: packages share files with their
 * neighbours, and guides tell people what to add before they pack. These functions do what a person would do then.
 */

/** Folders with TOSCA.meta, and those with one VNFD at their root outside of such a folder. */
export function packageFolders(root: string): string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const withMeta = all.filter(({ name }) => name === 'TOSCA.meta').map(({ parentPath }) => path.dirname(parentPath));
  const single = all
    .filter(({ name, parentPath }) => /\.ya?ml$/.test(name) && isVnfd(path.join(parentPath, name)))
    .map(({ parentPath }) => parentPath)
    .filter((folder) => path.basename(folder) !== 'Definitions' && !withMeta.some((other) => isWithin(folder, other)));
  return [...new Set([...withMeta, ...single])].sort();
}

function isVnfd(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return /^tosca_definitions_version:/m.test(text) && /^\s*substitution_mappings:/m.test(text);
}

function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}${path.sep}`);
}

const META = 'TOSCA-Metadata/TOSCA.meta';
const IMAGE = /\.(img|qcow2|raw|iso)$/;

/**
 * The files of a package by path: its own, those that its neighbours share, scripts that lie in a folder above, and a
 * stand-in for each image, which a person would download. A hash that a guide has people compute is computed.
 */
export function preparedFiles(folder: string, root: string): Map<string, Buffer> {
  const files = filesOf(folder);
  const entry = /^Entry-Definitions:\s*(\S+)/m.exec(textOf(files, META))?.[1];
  for (const common of commonFolders(folder)) {
    const shared = filesOf(common);
    const isNeeded =
      path.basename(common) === 'common' || (entry !== undefined && !files.has(entry) && shared.has(entry));
    for (const [name, content] of isNeeded ? shared : []) if (!files.has(name)) files.set(name, content);
  }
  for (const name of mentionedFiles(files)) {
    if (files.has(name)) continue;
    const content = IMAGE.test(name) ? Buffer.from('a stand-in for an image\n') : fileAbove(folder, root, name);
    if (content) files.set(name, content);
  }
  for (const name of [META, ...[...files.keys()].filter((file) => file.endsWith('.mf'))]) {
    if (files.has(name)) files.set(name, Buffer.from(withHashes(textOf(files, name), files)));
  }
  return files;
}

function textOf(files: ReadonlyMap<string, Buffer>, name: string): string {
  return files.get(name)?.toString('utf8') ?? '';
}

/** Folders beside the package whose files it shares; beside its parent when it lies in `contents`. */
function commonFolders(folder: string): string[] {
  const beside = path.basename(folder) === 'contents' ? path.resolve(folder, '../..') : path.dirname(folder);
  return readdirSync(beside, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.includes('common'))
    .map(({ name }) => path.join(beside, name))
    .filter((common) => common !== folder && existsSync(common));
}

/** What TOSCA.meta has a hash of, and images that the VNFD names. */
function mentionedFiles(files: ReadonlyMap<string, Buffer>): string[] {
  const sources = [...textOf(files, META).matchAll(/^(?:Name|Source):\s*(\S+)/gm)].map(([, name = '']) => name);
  const images = [...files.keys()]
    .filter((name) => /\.ya?ml$/.test(name))
    .flatMap((name) =>
      [
        ...textOf(files, name).matchAll(
          /(?:file|image\w*):\s*['"]?((?:\.\.?\/|Files\/)\S+?\.(?:img|qcow2|raw|iso))\b/g,
        ),
      ].map(([, file = '']) => path.posix.join(path.posix.dirname(name), file)),
    );
  return [...sources, ...images].filter((name) => !name.includes('://') && !name.startsWith('..'));
}

function fileAbove(folder: string, root: string, name: string): Buffer | undefined {
  for (let at = path.dirname(folder); isWithin(at, root); at = path.dirname(at)) {
    const file = path.join(at, path.basename(name));
    if (existsSync(file)) return readFileSync(file);
  }
  return undefined;
}

/** Fills in `Hash: <Calculated value here>`. */
function withHashes(text: string, files: ReadonlyMap<string, Buffer>): string {
  return text.replace(
    /((?:Name|Source):\s*(\S+)\s*\n(?:[A-Z][\w-]*:.*\n)*?Hash:[ \t]*)<.*>/g,
    (block, before, name) => {
      const content = files.get(name);
      return content === undefined ? block : before + createHash('sha256').update(content).digest('hex');
    },
  );
}

function filesOf(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file)];
    }),
  );
}
