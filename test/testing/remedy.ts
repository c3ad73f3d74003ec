import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tokenOf } from './system.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

interface Target {
  readonly api: { readonly url: string };
  readonly simulator: { readonly authUrl: string };
}

/**
 * Types `vnflow …` as an operator would.
 * @returns what it printed
 * @throws with what it printed to stderr when it fails
 */
export async function typeVnflow({ api, simulator }: Target, ...words: readonly string[]): Promise<string> {
  const env = { ...process.env, VNFM_URL: api.url, VNFM_TOKEN: await tokenOf(simulator.authUrl) };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], { env });
  return stdout;
}

/**
 * Types the first `vnflow …` command of a remedy, as an operator would.
 * @param verb of the command that is meant, where the remedy names several
 * @returns what it printed
 * @throws when the remedy has no such command, or the command fails
 */
export async function typeRemedy(remedy: string, target: Target, verb = 'retry'): Promise<string> {
  const commands = [...remedy.matchAll(/`vnflow ([^`]+)`/g)].map(([, words = '']) => words.split(' '));
  const command = commands.find((words) => words.includes(verb));
  if (!command) throw new Error(`no command "vnflow … ${verb}" in: ${remedy}`);
  return typeVnflow(target, ...command);
}
