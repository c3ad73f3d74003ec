import { type Document, Lexer, type ParsedNode, parseDocument, stringify, visit } from 'yaml';
import { indentContinuationLines } from './yaml-continuation-lines.ts';
import { PYYAML_SCALARS } from './yaml-scalars.ts';

/** The most characters of a file. No VNFD and no HOT is longer. */
const MAX_CHARACTERS = 1_000_000;
const MAX_DEPTH = 64;
/** How many nodes aliases may expand to, per node they stand for: the "billion laughs" need thousands. */
const MAX_ALIAS_COUNT = 100;
const MAX_ALIASES = 2_000;

const KEPT_TAGS: ReadonlySet<string> = new Set(['map', 'seq', 'str'].map((name) => `tag:yaml.org,2002:${name}`));

/** PyYAML's reader refuses these, and PostgreSQL cannot store some of them. */
const NOT_PRINTABLE = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * Reads hostile YAML as PyYAML (and so Heat and Tacker) reads it: booleans, numbers and merge keys of YAML 1.1, dates
 * as text; of a key that a map has twice, the last value counts. Bounded in size, depth and alias expansion; no custom
 * types, no second document.
 * @param text the YAML
 * @throws SyntaxError whose message says what is wrong, as the second half of a sentence ("is …", "has …")
 */
export function readYaml(text: string): unknown {
  refuseBeforeParsing(text);
  try {
    const document = parsedDocument(text);
    refuseManyAliases(document);
    refuseHarmfulText(document);
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
    if (containsItself(value, new Set(), new Set())) {
      throw new SyntaxError('contains itself (an alias within its own anchor)');
    }
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    if (/alias count/i.test(reason)) throw new SyntaxError('expands its aliases without end (a YAML bomb)');
    throw new SyntaxError(`is not YAML: ${reason.replace(/:$/, '')}`, { cause: error });
  }
}

/**
 * Counts the tokens of a YAML text without parsing it, which is eight times as fast.
 * @param most where it stops counting
 * @returns their number, or a number above `most`
 */
export function countYamlTokens(text: string, most: number): number {
  let count = 0;
  for (const _ of new Lexer().lex(text)) if (++count > most) break;
  return count;
}

function refuseBeforeParsing(text: string): void {
  if (text.length > MAX_CHARACTERS) throw new SyntaxError(`is longer than ${MAX_CHARACTERS} characters`);
  const [control] = NOT_PRINTABLE.exec(text) ?? [];
  if (control !== undefined) {
    throw new SyntaxError(`is not YAML: it has the character ${codePoint(control)}`);
  }
  if (bracketDepth(text) > MAX_DEPTH || indentDepth(text) > MAX_DEPTH) {
    throw new SyntaxError(`is nested deeper than ${MAX_DEPTH} levels`);
  }
}

function parsedDocument(text: string): Document.Parsed<ParsedNode> {
  const document = parseAsPyYaml(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  if (!/must be sufficiently indented|^Missing closing/.test(error.message)) throw error;
  const repaired = parseAsPyYaml(indentContinuationLines(text));
  if (repaired.errors.length > 0) throw error;
  return repaired;
}

function parseAsPyYaml(text: string): Document.Parsed<ParsedNode> {
  return parseDocument(text, {
    version: '1.1',
    customTags: (tags) => [
      ...tags.filter((tag) => typeof tag !== 'string' && KEPT_TAGS.has(tag.tag)),
      ...PYYAML_SCALARS,
      'merge',
    ],
    logLevel: 'error',
    stringKeys: true,
    uniqueKeys: false,
  });
}

function refuseManyAliases(document: Document): void {
  let aliases = 0;
  visit(document, {
    Alias: () => {
      if (++aliases > MAX_ALIASES) throw new SyntaxError(`has more than ${MAX_ALIASES} aliases`);
    },
  });
}

/** Escapes such as `"\0"` make characters that the store cannot keep, or that show another text than there is. */
const HARMFUL = /[\0\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

function refuseHarmfulText(document: Document): void {
  visit(document, {
    Scalar: (_, { value }) => {
      const [found] = (typeof value === 'string' ? HARMFUL.exec(value) : undefined) ?? [];
      if (found !== undefined) throw new SyntaxError(`has a text with the character ${codePoint(found)}`);
    },
  });
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function containsItself(value: unknown, above: Set<object>, done: Set<object>): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (above.has(value)) return true;
  above.add(value);
  const found = Object.values(value).some((member) => containsItself(member, above, done));
  above.delete(value);
  done.add(value);
  return found;
}

/** Writes YAML 1.1, so that Heat reads exactly the values that were written. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Depth of flow brackets, those in strings included: no honest file comes near the limit. */
function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
  }
  return deepest;
}

/** Depth of block nesting: each level needs at least one more column, each `- ` opens one. */
function indentDepth(text: string): number {
  let deepest = 0;
  const open: number[] = [];
  for (const line of text.split('\n')) {
    const [lead = ''] = line.match(/^[ -]*/) ?? [];
    if (lead.length === line.length) continue;
    const indent = lead.length;
    while ((open.at(-1) ?? -1) >= indent) open.pop();
    open.push(indent);
    deepest = Math.max(deepest, open.length + (lead.match(/-/g)?.length ?? 0));
  }
  return deepest;
}
