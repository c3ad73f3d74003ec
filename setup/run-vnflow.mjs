import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { PROJECT } from './paths.mjs';

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/** Many small things on one machine: less room for garbage and fewer malloc arenas save some 200 MB, and cost no time worth telling. */
const FRUGAL_FLAGS = ['--max-semi-space-size=1'];
const FRUGAL_ENV = { MALLOC_ARENA_MAX: '2' };

/**
 * Runs the `vnflow` command with Node 24 in this process's place.
 * @param {string} node
 * @param {readonly string[]} args of the command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} the exit code
 */
export function runVnflow(node, args, env) {
  const main = path.join(PROJECT, 'cli', 'main.ts');
  return runWithNode24(node, [...FRUGAL_FLAGS, main, ...args], { ...FRUGAL_ENV, ...env });
}

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
