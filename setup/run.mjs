import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { runVnflow, runWithNode } from './run-vnflow.mjs';

/** The scripts of `npm run COMMAND`, which run once all prerequisites are there. */
const SCRIPTS = {
  test: 'setup/test-run.mjs',
  bench: 'bench/main.ts',
  faults: 'faults/main.ts',
  'test:real': 'test/real/main.ts',
  verify: 'setup/verify.mjs',
  'record-histories': 'test/testing/histories/record.ts',
  'record-release': 'test/testing/record-release.ts',
};

/**
 * @param {string | undefined} command @param {readonly string[]} rest
 * @returns {Promise<number>} exit code
 */
async function run(command, rest) {
  const script = command === undefined ? undefined : SCRIPTS[command];
  if (script === undefined && command !== 'demo') {
    process.stderr.write(`setup/run.mjs runs one of: demo, ${Object.keys(SCRIPTS).join(', ')}\n`);
    return 2;
  }
  const { node, env } = await prepare({ temporal: true });
  if (script === undefined) return await runVnflow(node, ['demo', ...rest], env);
  return await runWithNode(node, [path.join(PROJECT, script), ...rest], env);
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
