import { countYamlTokens } from '../safe-yaml.ts';
import { isUri, resolveInPackage } from './package-path.ts';
import { createVnfdProblem, type Definitions, importedFiles, readDefinitions } from './tosca.ts';

/** The ETSI types alone fill four files; more than this is an attack on the parser. */
const MAX_DEFINITIONS_FILES = 40;
/** All definitions together; ETSI's types have 120,000. */
const MAX_DEFINITIONS_CHARACTERS = 1024 ** 2;
/**
 * YAML tokens of one file, and of all files together that vnflow parses of a package. Parsing takes 2 to 15 µs for each
 * token, and blocks the process. The largest VNFDs with ETSI's types have 60,000 together, the samples 8,000.
 */
export const MAX_FILE_TOKENS = 40_000;
export const MAX_PACKAGE_TOKENS = 80_000;
const IN_DEFINITIONS = /^Definitions\/[^/]+\.ya?ml$/;
const AT_THE_ROOT = /^[^/]+\.ya?ml$/;
const TOSCA_META = 'TOSCA-Metadata/TOSCA.meta';

/** May `readVnfd` need this file of a package? Heat templates are read elsewhere. */
export function mayBelongToVnfd(path: string): boolean {
  return path === TOSCA_META || (/\.ya?ml$/.test(path) && !path.startsWith('BaseHOT/'));
}

/**
 * Reads the definitions of a package: with TOSCA.meta its `Entry-Definitions` and every YAML file in `Definitions/`, as
 * Tacker does; without it the one YAML file at the root; and what these import. An import that is a URL or not in the
 * package is passed over: packages import ETSI's types so, which tosca-parser brings along.
 * @param files path in the package → text; more than definitions may be there
 * @returns sorted by path
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export function readDefinitionFiles(files: ReadonlyMap<string, string>): Definitions[] {
  const reading = definitionFilesByPortions(files);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/**
 * Reads as `readDefinitionFiles` does, and stops before each file, so that the caller can let other work go on.
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export function* definitionFilesByPortions(files: ReadonlyMap<string, string>): Generator<void, Definitions[]> {
  const waiting = entryPaths(files);
  const read = new Map<string, Definitions>();
  let characters = 0;
  let tokens = 0;
  for (const path of waiting) {
    if (read.has(path)) continue;
    const yaml = files.get(path) ?? '';
    characters += yaml.length;
    if (read.size >= MAX_DEFINITIONS_FILES || characters > MAX_DEFINITIONS_CHARACTERS) {
      throw createVnfdProblem(
        `The VNFD has more than ${MAX_DEFINITIONS_FILES} YAML files or ${MAX_DEFINITIONS_CHARACTERS} characters, at ${path}.`,
      );
    }
    const ofFile = countYamlTokens(yaml, MAX_FILE_TOKENS);
    tokens += ofFile;
    if (ofFile > MAX_FILE_TOKENS || tokens > MAX_PACKAGE_TOKENS) {
      throw createVnfdProblem(
        `The VNFD has more than ${MAX_FILE_TOKENS} names and values in one file or ${MAX_PACKAGE_TOKENS} together, at ${path}; make it smaller.`,
      );
    }
    yield;
    const definitions = readDefinitions(path, yaml);
    read.set(path, definitions);
    for (const imported of importsOf(definitions, files)) waiting.push(imported);
  }
  return [...read.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function entryPaths(files: ReadonlyMap<string, string>): string[] {
  const inDefinitions = [...files.keys()].filter((path) => IN_DEFINITIONS.test(path)).sort();
  const meta = files.get(TOSCA_META);
  if (meta !== undefined) {
    const entry = /^Entry-Definitions\s*:\s*(\S+)\s*$/im.exec(meta)?.[1];
    return entry !== undefined && files.has(entry) ? [entry, ...inDefinitions] : inDefinitions;
  }
  const atTheRoot = [...files.keys()].filter((path) => AT_THE_ROOT.test(path)).sort();
  if (atTheRoot.length > 1) {
    throw createVnfdProblem(
      `The package has no ${TOSCA_META} and several YAML files at its root (${atTheRoot.join(', ')}): keep one, or add ${TOSCA_META}.`,
    );
  }
  const entries = atTheRoot.length === 1 ? atTheRoot : inDefinitions;
  if (entries.length === 0) {
    throw createVnfdProblem('The package has no YAML file in Definitions/ and none at its root: put the VNFD there.');
  }
  return entries;
}

function importsOf({ path, template }: Definitions, files: ReadonlyMap<string, string>): string[] {
  return importedFiles(template.imports, path).flatMap((file) => {
    if (isUri(file)) return [];
    const target = resolveInPackage(path, file);
    return files.has(target) ? [target] : [];
  });
}
