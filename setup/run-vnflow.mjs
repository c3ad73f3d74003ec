import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/**
 * Runs a script with Node 24 in this process's place: same terminal, signals handed on, same exit code.
 * @param {string} node
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code
 */
export function runWithNode24(node, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...args], { env, stdio: 'inherit' });
    for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
