/**
 * The contracts of an install script that vnflow calls. `phases` is vnflow's own (docs/install-script.md): one call per
 * phase. `monolith` is that of Tacker's sample drivers (docs/tacker-packages.md): one call does everything on a node.
 */
export type InstallContract = 'phases' | 'monolith';

/** The contract of a script, or what it lacks for each of them, in words for people. */
export type ScriptVerdict =
  | { readonly contract: InstallContract }
  | { readonly missing: Readonly<Record<InstallContract, readonly string[]>> };

const PHASES = ['prepare', 'load-balancer', 'init', 'credentials', 'join-control-plane', 'join-worker', 'cni'];
const OUTPUT_FILES = ['VNFLOW_OUTPUT', 'VNFLOW_SECRET_OUTPUT'];
/** Each option has a value. */
const OPTIONS = ['m', 'w', 'i', 'p', 'a', 't', 's', 'k'];
/** What the script prints on the first control-plane node, each at the beginning of a line. */
const PRINTED = ['token:', 'ssl_ca_cert_hash:', 'certificate_key:'];

/**
 * Decides which contract a script has, by its text. A script that has both is called by vnflow's own.
 * @param text of the script. It is only read, never run
 */
export function installContractOf(text: string): ScriptVerdict {
  const code = withoutComments(text);
  const phases = [
    ...PHASES.filter((phase) => !hasWord(code, phase)).map((phase) => `phase ${phase}`),
    ...OUTPUT_FILES.filter((file) => !hasWord(code, file)).map((file) => `output file $${file}`),
  ];
  if (phases.length === 0) return { contract: 'phases' };
  const options = optionsOf(code);
  const monolith = [
    ...OPTIONS.filter((option) => !options.has(option)).map((option) => `option -${option} with a value`),
    ...PRINTED.filter((line) => !code.includes(line)).map((line) => `output line ${line}`),
  ];
  return monolith.length === 0 ? { contract: 'monolith' } : { missing: { phases, monolith } };
}

/** Says what a script lacks, as a sentence without a full stop. */
export function describeMissing(path: string, missing: Readonly<Record<InstallContract, readonly string[]>>): string {
  return (
    `${path} is no install script that vnflow can call: for its own contract (docs/install-script.md) it lacks ` +
    `${missing.phases.join(', ')}; for the contract of Tacker's script (docs/tacker-packages.md) it lacks ` +
    `${missing.monolith.join(', ')}`
  );
}

/** Does the script read the proxy that it is given? */
export function readsProxy(text: string): boolean {
  return /\bhttps?_proxy\b/i.test(withoutComments(text));
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n');
}

/** Is the word there, and not only as a part of a longer one? */
function hasWord(code: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(code);
}

/** The options with a value that the script's `getopts` or `case` knows. */
function optionsOf(code: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, letters = ''] of code.matchAll(/\bgetopts\s+["']?:?([a-zA-Z:]+)/g)) {
    for (const [, letter = ''] of letters.matchAll(/([a-zA-Z]):/g)) found.add(letter);
  }
  for (const [, letter = ''] of code.matchAll(/^\s*\(?["']?-([a-zA-Z])["']?(?:\s*\|[^)\n]*)?\)/gm)) found.add(letter);
  return found;
}
