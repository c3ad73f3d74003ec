#!/usr/bin/env node
import { prepare } from '../setup/prepare.mjs';
import { runVnflow } from '../setup/run-vnflow.mjs';

/** The commands that start a Temporal server. */
const NEED_TEMPORAL = new Set(['up', 'demo']);

const args = process.argv.slice(2);
try {
  const asksForHelp = args.includes('--help') || args.includes('-h');
  const { node, env } = await prepare({ temporal: !asksForHelp && NEED_TEMPORAL.has(args[0] ?? '') });
  process.exitCode = await runVnflow(node, args, env);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
