import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAuditCommand } from './commands/audit.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDownCommand } from './commands/down.ts';
import { addEnvCommand } from './commands/env.ts';
import { addHostKeysCommand } from './commands/host-keys.ts';
import { addKeysCommand } from './commands/keys.ts';
import { addKubeconfigCommand } from './commands/kubeconfig.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addOpsCommand } from './commands/ops.ts';
import { addPackCommand } from './commands/pack.ts';
import { addPlanCommand } from './commands/plan.ts';
import { addRegistryCommand } from './commands/registry.ts';
import { addServeCommands } from './commands/serve.ts';
import { addSimulatorCommand } from './commands/simulator.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTokenCommand } from './commands/token.ts';
import { addUpCommand } from './commands/up.ts';
import { addWatchCommand } from './commands/watch.ts';

const PACKAGE = new URL('../package.json', import.meta.url);

/** Makes the command line of vnflow: all its commands. Errors are thrown, and printed by the caller. */
export function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string };
  const program = new Command('vnflow')
    .description('A VNF manager for Kubernetes clusters on OpenStack, on Temporal')
    .version(version, '-V, --version', 'print the version')
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const add of [
    addDemoCommand,
    addUpCommand,
    addDownCommand,
    addEnvCommand,
    addTokenCommand,
    addPackCommand,
    addPlanCommand,
    addWatchCommand,
    addStatusCommand,
    addLogsCommand,
    addKubeconfigCommand,
    addAuditCommand,
    addHostKeysCommand,
    addOpsCommand,
    addRegistryCommand,
    addKeysCommand,
    addServeCommands,
    addSimulatorCommand,
    addCompletionCommand,
  ]) {
    add(program);
  }
  for (const command of allCommands(program)) command.copyInheritedSettings(program);
  return program;
}

/** All commands below a command. @internal exported for tests */
export function allCommands(command: Command): Command[] {
  return command.commands.flatMap((each) => [each, ...allCommands(each)]);
}
