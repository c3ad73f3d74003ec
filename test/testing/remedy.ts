import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tokenOf } from './system.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/**
 * Types the first `vnflow …` command of a remedy, as an operator would.
 * @param verb of the command that is meant, where the remedy names several
 * @returns what it printed
 * @throws when the remedy has no such command, or the command fails
 */
export async function typeRemedy(
  remedy: string,
  { api, simulator }: { api: { url: string }; simulator: { authUrl: string } },
  verb = 'retry',
): Promise<string> {
  const commands = [...remedy.matchAll(/`vnflow ([^`]+)`/g)].map(([, words = '']) => words.split(' '));
  const command = commands.find((words) => words.includes(verb));
  if (!command) throw new Error(`no command "vnflow … ${verb}" in: ${remedy}`);
  const env = { ...process.env, VNFM_URL: api.url, VNFM_TOKEN: await tokenOf(simulator.authUrl) };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...command], { env });
  return stdout;
}
