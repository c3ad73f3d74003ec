#!/usr/bin/env node
import path from 'node:path';
import { PROJECT } from '../setup/paths.mjs';
import { prepare } from '../setup/prepare.mjs';
import { runWithNode24 } from '../setup/run-vnflow.mjs';

/** The commands that start a Temporal server. */
const NEED_TEMPORAL = new Set(['up', 'demo']);

const args = process.argv.slice(2);
try {
  const asksForHelp = args.includes('--help') || args.includes('-h');
  const { node, env } = await prepare({ temporal: !asksForHelp && NEED_TEMPORAL.has(args[0] ?? '') });
  process.exitCode = await runWithNode24(node, [path.join(PROJECT, 'cli/main.ts'), ...args], env);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
