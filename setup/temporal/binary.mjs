import { CommandFailed, runCommand } from '../run-command.mjs';

/** Update-with-start and workflow pause need a server of at least this version. */
const LOWEST_SERVER = [1, 28];

/**
 * Checks whether vnflow can use this `temporal` program.
 * @param {string} file
 * @returns {Promise<{ ok: true, version: string } | { ok: false, reason: string }>}
 */
export async function inspectBinary(file) {
  try {
    const text = (await runCommand(file, ['--version'], { timeoutSeconds: 20 })).trim();
    const server = /\(Server (\d+)\.(\d+)/.exec(text);
    if (server === null)
      return { ok: false, reason: `${file} is no Temporal CLI: \`--version\` says ${JSON.stringify(text)}` };
    const [major, minor] = [Number(server[1]), Number(server[2])];
    const isNew = major > LOWEST_SERVER[0] || (major === LOWEST_SERVER[0] && minor >= LOWEST_SERVER[1]);
    return isNew
      ? { ok: true, version: text }
      : { ok: false, reason: `${file} is too old (${text}); vnflow needs server ${LOWEST_SERVER.join('.')} or newer` };
  } catch (error) {
    if (error instanceof CommandFailed) return { ok: false, reason: `${file} does not run: ${error.message}` };
    throw error;
  }
}
