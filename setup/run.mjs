import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { runWithNode24 } from './run-vnflow.mjs';

/** What `npm run COMMAND` runs, once everything is there. */
const SCRIPTS = {
  demo: ['cli/main.ts', 'demo'],
  test: ['setup/test-run.mjs'],
  bench: ['bench/main.ts'],
  verify: ['setup/verify.mjs'],
};

/**
 * @param {string | undefined} command @param {readonly string[]} rest
 * @returns {Promise<number>} exit code
 */
async function run(command, rest) {
  const script = command === undefined ? undefined : SCRIPTS[command];
  if (script === undefined) {
    process.stderr.write(`setup/run.mjs runs one of: ${Object.keys(SCRIPTS).join(', ')}\n`);
    return 2;
  }
  const { node, env } = await prepare({ temporal: true });
  const [file, ...args] = script;
  return await runWithNode24(node, [path.join(PROJECT, file), ...args, ...rest], env);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, ...rest] = process.argv.slice(2);
  try {
    process.exitCode = await run(command, rest);
  } catch (error) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
