/**
 * Changes in a parsed script before just-bash runs it:
 * - `"$@"` or `$VARIABLE` as the name of a command: just-bash takes all of it for one name, bash runs the first word.
 * - Programs with a path outside /usr/bin: just-bash would read the file as a script.
 * - Background jobs: just-bash would wait for them.
 * - Units, whose output must appear while the script runs: each command whose output does not end in the unit's own
 *   output (because of a pipe, a substitution or a redirection) gets a mark in its environment, see live-output.ts.
 */
import { type ParsedScript, parse, serialize } from './syntax.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Node = { [key: string]: Json };

/** The destinations of the two output streams: `o` and `e` are those of the shell, `-` is anything else. */
interface Streams {
  readonly out: string;
  readonly err: string;
}

const OPEN: Streams = { out: 'o', err: 'e' };

/** Shell built-ins that accept no variable assignment before their name. */
const UNMARKED = new Set(
  'local declare typeset export readonly set shift return exit read unset cd eval source . exec trap break continue : true false test [ let getopts wait type hash shopt command builtin mapfile readarray umask pushd popd'.split(
    ' ',
  ),
);

/** The variable that carries the mark. */
export const MARK = '__VNFLOW_SIM_STREAMS';

export interface RewriteOptions {
  readonly live: boolean;
}

export function rewrite(script: ParsedScript, { live }: RewriteOptions): ParsedScript {
  const walk = (value: Json, streams: Streams): Json => {
    if (Array.isArray(value)) return value.map((item) => walk(item, streams));
    if (value === null || typeof value !== 'object') return value;
    switch (value['type']) {
      case 'Statement':
        return value['background'] === true ? background(value) : each(value, streams);
      case 'Pipeline':
        return pipeline(value, streams);
      case 'SimpleCommand':
        return simple(value, streams);
      case 'FunctionDef':
        return each(value, OPEN);
      case 'CommandSubstitution':
      case 'ProcessSubstitution':
        return each(value, { out: '-', err: streams.err });
      case 'If':
      case 'For':
      case 'CStyleFor':
      case 'While':
      case 'Until':
      case 'Case':
      case 'Subshell':
      case 'Group':
        return each(value, redirected(value['redirections'], streams));
      default:
        return each(value, streams);
    }
  };
  const each = (node: Node, streams: Streams): Node => {
    const copy: Node = {};
    for (const [key, value] of Object.entries(node)) copy[key] = walk(value, streams);
    return copy;
  };
  const pipeline = (node: Node, streams: Streams): Node => {
    const commands = list(node['commands']);
    const pipesErr = list(node['pipeStderr']);
    return {
      ...node,
      commands: commands.map((command, index) => {
        const last = index === commands.length - 1;
        const err = !last && pipesErr[index] === true ? '-' : streams.err;
        return walk(command, { out: last ? streams.out : '-', err });
      }),
    };
  };
  const simple = (node: Node, streams: Streams): Node => {
    const copy = each(node, streams);
    const name = readLiteral(copy['name']);
    if (name === undefined && (isWordList(copy['name']) || isSplit(copy['name']))) {
      copy['args'] = [copy['name'] ?? null, ...list(copy['args'])];
      copy['name'] = EMPTY_NAME;
    } else if (name !== undefined && OTHER_DIRECTORY.test(name)) {
      copy['name'] = word([{ type: 'Literal', value: `/bin/${name.slice(name.lastIndexOf('/') + 1)}` }]);
    }
    if (!live || copy['name'] === null || (name !== undefined && UNMARKED.has(name))) return copy;
    const { out, err } = redirected(copy['redirections'], streams);
    if (out === 'o' && err === 'e') return copy;
    copy['assignments'] = [...list(copy['assignments']), mark(`${out}${err}`)];
    return copy;
  };
  return walk(script as unknown as Json, OPEN) as unknown as ParsedScript;
}

const OTHER_DIRECTORY = /^\/(usr\/local\/s?bin|usr\/sbin|sbin|snap\/bin|opt\/cni\/bin)\/[\w.+-]+$/;

function word(parts: Json[]): Node {
  return { type: 'Word', parts };
}

/** An empty expansion: it makes just-bash take the first argument as the name. */
const EMPTY_NAME: Node = word([
  {
    type: 'ParameterExpansion',
    parameter: '__VNFLOW_SIM_NOTHING',
    operation: { type: 'DefaultValue', word: word([]), checkEmpty: false },
  },
]);

/** Appends the streams of this command to those of the calling function. */
function mark(streams: string): Node {
  return {
    type: 'Assignment',
    name: MARK,
    value: word([
      {
        type: 'ParameterExpansion',
        parameter: MARK,
        operation: { type: 'DefaultValue', word: word([]), checkEmpty: false },
      },
      { type: 'Literal', value: streams },
    ]),
    append: false,
    array: null,
  };
}

function background(node: Node): Node {
  const source = serialize({
    type: 'Script',
    statements: [{ ...node, background: false }],
  } as unknown as ParsedScript);
  const statement = list(parse(`__background ${quoted(source)}`)['statements' as never] as unknown as Json)[0];
  return isNode(statement) ? statement : node;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function redirected(redirections: Json | undefined, streams: Streams): Streams {
  let { out, err } = streams;
  for (const item of list(redirections)) {
    if (!isNode(item)) continue;
    const target = readLiteral(item['target']);
    const operator = item['operator'];
    if (operator === '&>' || operator === '&>>') {
      out = '-';
      err = '-';
      continue;
    }
    const source = operator === '>&' ? (target === '1' ? out : target === '2' ? err : '-') : '-';
    if (operator !== '>' && operator !== '>>' && operator !== '>|' && operator !== '>&') continue;
    if (target === '/dev/stdout' || target === '/dev/stderr') continue;
    if (item['fd'] === 2) err = source;
    else if (item['fd'] === null || item['fd'] === 1 || item['fd'] === undefined) out = source;
  }
  return { out, err };
}

function isNode(value: Json | undefined): value is Node {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a word without expansions. */
export function readLiteral(value: unknown): string | undefined {
  const node = value as Json | undefined;
  if (!isNode(node) || node['type'] !== 'Word') return undefined;
  let text = '';
  for (const part of list(node['parts'])) {
    if (!isNode(part)) return undefined;
    const piece = part['type'] === 'DoubleQuoted' ? readLiteral(word(list(part['parts']))) : part['value'];
    const plain = part['type'] === 'Literal' || part['type'] === 'SingleQuoted' || part['type'] === 'Escaped';
    if ((!plain && part['type'] !== 'DoubleQuoted') || typeof piece !== 'string') return undefined;
    text += piece;
  }
  return text;
}

/** Whether a word is `"$@"` or `"${array[@]}"`. */
function isWordList(value: Json | undefined): boolean {
  if (!isNode(value)) return false;
  return list(value['parts']).some(
    (part) =>
      isNode(part) &&
      (part['type'] === 'DoubleQuoted' ? list(part['parts']) : [part]).some(
        (inner) =>
          isNode(inner) && inner['type'] === 'ParameterExpansion' && /^@$|\[@\]$/.test(String(inner['parameter'])),
      ),
  );
}

/** Whether a word is `$name` or `${name}` without quotes, which bash splits into words. */
function isSplit(value: Json | undefined): boolean {
  const [part, ...more] = isNode(value) ? list(value['parts']) : [];
  return more.length === 0 && isNode(part) && part['type'] === 'ParameterExpansion';
}
