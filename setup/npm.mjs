import { realpathSync } from 'node:fs';
import path from 'node:path';
import { onPath } from './paths.mjs';
import { runCommand } from './run-command.mjs';

/**
 * Runs the npm of this machine with a given Node.
 * @param {string} node the Node binary
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<string>} what npm printed
 * @throws {Error} when there is no npm, or npm fails
 */
export async function npm(node, args, { cwd, env }) {
  const cli = npmCli(env);
  const withNode = { ...env, PATH: [path.dirname(node), env.PATH ?? ''].join(path.delimiter) };
  // npm passes its configuration on to its children; a nested npm would take `--prefix` and other options from it
  for (const name of Object.keys(withNode)) if (/^npm_(config|package|lifecycle)_/i.test(name)) delete withNode[name];
  for (const name of Object.keys(env)) {
    if (/^npm_config_(registry|cache|userconfig|cafile|https?_proxy|proxy|noproxy)$/i.test(name))
      withNode[name] = env[name];
  }
  return cli.endsWith('.js')
    ? await runCommand(node, [cli, ...args], { cwd, env: withNode })
    : await runCommand(cli, args, { cwd, env: withNode });
}

/** @param {NodeJS.ProcessEnv} env */
function npmCli(env) {
  const running = env.npm_execpath;
  if (running?.endsWith('npm-cli.js')) return running;
  const command = onPath('npm', env);
  if (command === undefined) {
    throw new Error('npm is missing on this machine. Install it (it comes with Node.js) and start again.');
  }
  const real = realpathSync(command);
  return real.endsWith('npm-cli.js') ? real : command;
}
