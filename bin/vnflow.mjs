#!/usr/bin/env node
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runnableFolder } from '../setup/installed-copy.mjs';
import { PROJECT } from '../setup/paths.mjs';
import { prepare } from '../setup/prepare.mjs';
import { runVnflow } from '../setup/run-vnflow.mjs';

/** The commands that start a Temporal server. */
const NEED_TEMPORAL = new Set(['up', 'demo']);

/** @param {readonly string[]} args @returns {Promise<number>} the exit code */
async function run(args) {
  const asksForHelp = args.includes('--help') || args.includes('-h');
  const { node, env } = await prepare({ temporal: !asksForHelp && NEED_TEMPORAL.has(args[0] ?? '') });
  return await runVnflow(node, args, env);
}

try {
  const folder = runnableFolder(path.resolve(PROJECT));
  if (folder === path.resolve(PROJECT)) process.exitCode = await run(process.argv.slice(2));
  else await import(pathToFileURL(path.join(folder, 'bin', 'vnflow.mjs')).href);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
