import { countYamlTokens, readYaml } from '../domain/safe-yaml.ts';
import { MAX_FILE_TOKENS, MAX_PACKAGE_TOKENS, mayBelongToVnfd } from '../domain/vnfd/definition-files.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { decodeText } from './csar-text.ts';
import { createRests } from './rests.ts';

const DEFINITIONS_FILE = /^Definitions\/[^/]+\.ya?ml$/;
const HEAT_TEMPLATE = /^BaseHOT\/.+\.ya?ml$/;

const AT_THE_ROOT = /^[^/]+\.ya?ml$/;

/** The YAML files of a package that vnflow parses: text by path. */
export interface CsarYaml {
  /** Files that may belong to the VNFD. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, string>;
}

/**
 * Finds the files of the VNFD and the Heat templates, and limits their size and their tokens together, because parsing
 * YAML blocks the process: 10 µs for a token on a busy machine.
 * @param paths of all files in the package
 * @param files content by path of the files that were kept
 * @throws VnflowError CSAR_INVALID
 */
export function csarYaml(paths: Iterable<string>, files: ReadonlyMap<string, Buffer>, limits: CsarLimits): CsarYaml {
  const definitions = new Map<string, string>();
  const templates = new Map<string, string>();
  const tokens = createTokenLimit();
  let bytes = 0;
  for (const path of paths) {
    const content = files.get(path);
    const kind = DEFINITIONS_FILE.test(path) ? definitions : HEAT_TEMPLATE.test(path) ? templates : undefined;
    if (kind === undefined) {
      if (content === undefined || !mayBelongToVnfd(path)) continue;
      const text = content.toString('utf8');
      if (AT_THE_ROOT.test(path)) tokens.add(path, text);
      definitions.set(path, text);
      continue;
    }
    bytes += content?.length ?? 0;
    if (bytes > limits.yamlBytes) {
      throw createCsarProblem(
        `The YAML files in Definitions/ and BaseHOT/ have more than ${limits.yamlBytes} bytes together, at ${path}; make them smaller.`,
      );
    }
    const text = decodeText(path, content);
    tokens.add(path, text);
    kind.set(path, text);
  }
  return { definitions, templates };
}

/** Counts the tokens of the files that will be parsed. Files that the VNFD imports from elsewhere are counted there. */
function createTokenLimit() {
  let all = 0;
  return {
    add: (path: string, text: string): void => {
      const tokens = countYamlTokens(text, MAX_FILE_TOKENS);
      if (tokens > MAX_FILE_TOKENS) {
        throw createCsarProblem(`${path} has more than ${MAX_FILE_TOKENS} names and values; make it smaller.`);
      }
      all += tokens;
      if (all > MAX_PACKAGE_TOKENS) {
        throw createCsarProblem(
          `The YAML files of the VNFD and the Heat templates have more than ${MAX_PACKAGE_TOKENS} names and values together, at ${path}; make them smaller.`,
        );
      }
    },
  };
}

/**
 * Refuses Heat templates that cannot be parsed. Otherwise they would fail in the middle of an instantiation.
 * @throws VnflowError CSAR_INVALID
 */
export async function refuseBadTemplates(templates: ReadonlyMap<string, string>): Promise<void> {
  const rest = createRests();
  for (const [path, text] of templates) {
    await rest();
    try {
      readYaml(text);
    } catch (error) {
      throw createCsarProblem(`${path} ${error instanceof Error ? error.message : String(error)}.`, error);
    }
  }
}
