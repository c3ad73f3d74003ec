import { VnflowError } from '../domain/problems.ts';
import type { ExecOptions, ExecResult } from './exec.ts';
import { commandLine } from './quote.ts';
import type { SshSession } from './session.ts';

/** The messages of sudo when it does not run commands for this user without a password. */
const REFUSALS =
  /^sudo: (a password is required|a terminal is required|no tty present|.*command not found)|is not in the sudoers file|may not run sudo|^.*sudo: (command )?not found/m;

/** The message of sudo with `Defaults requiretty`. */
const NEEDS_TERMINAL = /^sudo: sorry, you must have a tty/m;

/**
 * The command line that runs these words as root. Every user of the node can see arguments, so they must hold no
 * secret.
 */
export function sudoCommand(words: readonly string[]): string {
  return commandLine(['sudo', '-n', ...words]);
}

/**
 * Runs a command line made by `sudoCommand`.
 * @throws VnflowError NODE_AUTH when sudo wants a password or is missing, NODE_SUDO_TTY when it wants a terminal; else as
 * `SshSession.exec`
 */
export async function execAsRoot(session: SshSession, command: string, options: ExecOptions = {}): Promise<ExecResult> {
  const result = await session.exec(command, options);
  if (result.code !== 0 && NEEDS_TERMINAL.test(result.stderr))
    throw new VnflowError('NODE_SUDO_TTY', {
      detail: `sudo on the ${session.label} runs commands of user "${session.username}" only at a terminal (requiretty), and vnflow has none.`,
      seen: result.stderr.trim().slice(0, 500),
    });
  if (result.code === 0 || !REFUSALS.test(result.stderr)) return result;
  throw new VnflowError('NODE_AUTH', {
    detail: `User "${session.username}" of the ${session.label} cannot become root: sudo must work without a password (NOPASSWD).`,
    seen: result.stderr.trim().slice(0, 500),
  });
}
