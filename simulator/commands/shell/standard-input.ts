import { readLiteral } from './rewrite.ts';
import type { ParsedScript } from './syntax.ts';

/**
 * Whether a script reads standard input. just-bash needs the whole input before a script begins, but a client without
 * input may never close it. The shell therefore waits for input only when a command of the script reads it.
 */
export function readsStandardInput(script: ParsedScript): boolean {
  return search(script, true);
}

/** Commands that read standard input when they have at most this number of operands. */
const READS_WITHOUT: Readonly<Record<string, number>> = {
  cat: 0,
  base64: 0,
  cut: 0,
  gpg: 0,
  head: 0,
  jq: 1,
  md5sum: 0,
  od: 0,
  sha256sum: 0,
  sha1sum: 0,
  sort: 0,
  tail: 0,
  uniq: 0,
  wc: 0,
  grep: 1,
  sed: 1,
  awk: 1,
  tr: 2,
};
const ALWAYS = new Set(['read', 'mapfile', 'readarray', 'tee', 'xargs', 'dd']);

type Value = unknown;

function search(value: Value, open: boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => search(item, open));
  if (value === null || typeof value !== 'object') return false;
  const node = value as Record<string, Value>;
  const inherits = open && !hasInput(node['redirections']);
  if (node['type'] === 'Pipeline' && Array.isArray(node['commands'])) {
    return node['commands'].some((command, index) => search(command, open && index === 0));
  }
  if (node['type'] === 'SimpleCommand' && inherits && reads(node)) return true;
  return Object.entries(node).some(([key, child]) => key !== 'redirections' && search(child, inherits));
}

function hasInput(redirections: Value): boolean {
  return (
    Array.isArray(redirections) && redirections.some(({ operator }: { operator: string }) => operator.startsWith('<'))
  );
}

function reads(node: Record<string, Value>): boolean {
  const name = readLiteral(node['name'])?.replace(/^.*\//, '');
  const args: unknown[] = Array.isArray(node['args']) ? node['args'] : [];
  const words = args.map((word) => readLiteral(word) ?? 'x');
  if (name === undefined) return false;
  if (ALWAYS.has(name)) return true;
  if (words.includes('-') || words.includes('@-') || words.includes('/dev/stdin')) return true;
  if (name === 'sh' || name === 'bash') return words.every((word) => word.startsWith('-') && !word.includes('c'));
  if (name === 'sudo') {
    const rest = words.slice(words.findIndex((word) => !word.startsWith('-')));
    return reads({ name: wordOf(rest[0] ?? ''), args: rest.slice(1).map(wordOf) });
  }
  const files = READS_WITHOUT[name];
  if (files === undefined) return false;
  return operands(words).length <= files;
}

function wordOf(value: string): unknown {
  return { type: 'Word', parts: [{ type: 'Literal', value }] };
}

/**
 * The arguments that are no options. The value of a short option counts as an operand unless it follows -n, -c, -k, -b
 * or -d.
 */
function operands(words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith('-') && !/^-[ncbkd]$/.test(words[index - 1] ?? ''));
}
