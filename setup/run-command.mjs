import { spawn } from 'node:child_process';

const KEPT_OUTPUT = 4_000;

/** A command did not end with exit code 0. The message ends with the last lines of its output. */
export class CommandFailed extends Error {}

/**
 * Runs a program (never a shell) and waits for its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, timeoutSeconds?: number }} [options]
 * @returns {Promise<string>} the end of its output, stdout and stderr together
 * @throws {CommandFailed} when the program cannot be started, ends with another code than 0, or takes too long
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const limit = options.timeoutSeconds ?? 1_200;
    let output = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limit * 1_000);
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new CommandFailed(`${command} cannot be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output);
      const how = late ? `took more than ${limit} s` : `ended with ${code === null ? signal : `code ${code}`}`;
      reject(new CommandFailed(`${command} ${args[0] ?? ''} ${how}:\n${lastLines(output)}`));
    });
  });
}

/** @param {string} text @param {number} [count] */
export function lastLines(text, count = 8) {
  return text.trim().split('\n').slice(-count).join('\n');
}
