import { Command, CommanderError } from 'commander';
import { addAuditCommand } from './commands/audit.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDownCommand } from './commands/down.ts';
import { addEnvCommand } from './commands/env.ts';
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
import { CliFailure } from './vnfm/failure.ts';

const program = new Command('vnflow')
  .description('A VNF manager for Kubernetes clusters on OpenStack, on Temporal')
  .showHelpAfterError()
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
  addOpsCommand,
  addRegistryCommand,
  addKeysCommand,
  addServeCommands,
  addSimulatorCommand,
]) {
  add(program);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`vnflow: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof CliFailure) && process.env['VNFLOW_DEBUG']) console.error(error);
    process.exit(1); // even if something still keeps the event loop alive: a failed process must not hang
  }
}
