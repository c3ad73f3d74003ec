import { countYamlTokens, readYaml } from '../domain/safe-yaml.ts';
import { mayBelongToVnfd } from '../domain/vnfd/definition-files.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { decodeText } from './csar-text.ts';

const DEFINITIONS_FILE = /^Definitions\/[^/]+\.ya?ml$/;
const HEAT_TEMPLATE = /^BaseHOT\/.+\.ya?ml$/;

/** Of all Heat templates together: parsing blocks the process. Templates of 500 servers have 60,000. */
const MOST_TOKENS = 200_000;

/** The YAML files of a package that vnflow parses: text by path. */
export interface CsarYaml {
  /** Files that may belong to the VNFD. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, string>;
}

/**
 * Finds the files of the VNFD and the Heat templates, and limits their size, because parsing YAML costs time.
 * @param paths of all files in the package
 * @param files content by path of the files that were kept
 * @throws VnflowError CSAR_INVALID
 */
export function csarYaml(paths: Iterable<string>, files: ReadonlyMap<string, Buffer>, limits: CsarLimits): CsarYaml {
  const definitions = new Map<string, string>();
  const templates = new Map<string, string>();
  let bytes = 0;
  for (const path of paths) {
    const content = files.get(path);
    const kind = DEFINITIONS_FILE.test(path) ? definitions : HEAT_TEMPLATE.test(path) ? templates : undefined;
    if (kind === undefined) {
      if (content !== undefined && mayBelongToVnfd(path)) definitions.set(path, content.toString('utf8'));
      continue;
    }
    bytes += content?.length ?? 0;
    if (bytes > limits.yamlBytes) {
      throw createCsarProblem(
        `The YAML files in Definitions/ and BaseHOT/ have more than ${limits.yamlBytes} bytes together, at ${path}; make them smaller.`,
      );
    }
    kind.set(path, decodeText(path, content));
  }
  return { definitions, templates };
}

/**
 * Refuses Heat templates that cannot be parsed. Otherwise they would fail in the middle of an instantiation.
 * @throws VnflowError CSAR_INVALID
 */
export function refuseBadTemplates(templates: ReadonlyMap<string, string>): void {
  let tokens = 0;
  for (const [path, text] of templates) {
    tokens += countYamlTokens(text, MOST_TOKENS - tokens);
    if (tokens > MOST_TOKENS) {
      throw createCsarProblem(
        `The Heat templates have more than ${MOST_TOKENS} names and values, at ${path}; make them smaller.`,
      );
    }
    try {
      readYaml(text);
    } catch (error) {
      throw createCsarProblem(`${path} ${error instanceof Error ? error.message : String(error)}.`, error);
    }
  }
}
