import { kubeletStarted } from '../../world/cluster/registration.ts';
import {
  activeState,
  baseName,
  canReload,
  isAlwaysThere,
  reloadService,
  reloadUnitFiles,
  serviceState,
  startService,
  stopService,
  unitFile,
} from '../../world/systemd/services.ts';
import { stopTransient } from '../../world/systemd/transient.ts';
import type { UnitState } from '../../world/systemd/unit-state.ts';
import type { SimNode } from '../../world/world.ts';
import { type CommandContext, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { isEnabled, listUnits, show, states, status } from './unit-views.ts';

const CHANGES = new Set(
  'start stop restart reload reload-or-restart try-restart enable disable mask unmask daemon-reload reset-failed kill set-default isolate daemon-reexec'.split(
    ' ',
  ),
);

export async function systemctl(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set(['-p', '--property', '-t', '--type', '-n', '--state', '-s', '--signal']));
  const [verb = 'list-units', ...units] = parsed.operands;
  if (CHANGES.has(verb) && !context.isRoot) {
    return failure(
      1,
      `Failed to ${verb} ${units[0] ?? ''}: Interactive authentication required.\nSee system logs and 'systemctl status ${units[0] ?? ''}' for details.`,
    );
  }
  const quiet = parsed.has('-q', '--quiet');
  switch (verb) {
    case 'daemon-reload':
    case 'daemon-reexec':
      reloadUnitFiles(context.node);
      return ok();
    case 'set-default':
      return ok();
    case 'is-active':
      return states(units, { wanted: 'active', quiet, code: 3, state: (unit) => activeState(context.node, unit) });
    case 'is-enabled':
      return isEnabled(units, context.node, quiet);
    case 'is-failed':
      return states(units, { wanted: 'failed', quiet, code: 1, state: (unit) => activeState(context.node, unit) });
    case 'is-system-running':
      return ok('running\n');
    case 'show':
      return show(units, (parsed.all.get('-p') ?? parsed.all.get('--property') ?? []).join(','), {
        node: context.node,
        value: parsed.has('--value'),
      });
    case 'status':
      return status(units, context.node);
    case 'cat': {
      const file = unitFile(context.node, units[0] ?? '');
      return file
        ? ok(`# ${file.path}\n${context.node.root.readText(file.path)}`)
        : failure(1, `No files found for ${units[0]}.service.`);
    }
    case 'list-units':
    case 'list-unit-files':
      return listUnits(context.node, parsed.operands.slice(1));
    case 'reset-failed':
      return resetFailed(units, context.node);
    case 'reboot':
    case 'poweroff':
      return failure(1, `Failed to set wall message, ignoring: use the Nova API to ${verb} this machine.`);
    default:
      return change(verb, units, { context, now: parsed.has('--now') });
  }
}

async function change(
  verb: string,
  units: readonly string[],
  { context, now }: { readonly context: CommandContext; readonly now: boolean },
): Promise<Output> {
  const { node } = context;
  let stderr = '';
  for (const unit of units) {
    if (isAlwaysThere(unit) || /\.(target|timer|socket|mount|swap)$/.test(unit)) continue;
    const state = serviceState(node, unit);
    if (!state) {
      if (verb === 'mask' || verb === 'unmask') continue;
      const text =
        verb === 'enable' || verb === 'disable'
          ? `Failed to ${verb} unit: Unit file ${baseName(unit)}.service does not exist.`
          : `Failed to ${verb} ${baseName(unit)}.service: Unit ${baseName(unit)}.service not ${verb === 'stop' ? 'loaded' : 'found'}.`;
      return failure(verb === 'enable' || verb === 'disable' ? 1 : 5, stderr + text);
    }
    const problem = await apply(verb, state, { node, now });
    if (problem === undefined) {
      if (verb === 'enable' && !state.enabled) {
        state.enabled = true;
        stderr += `Created symlink /etc/systemd/system/multi-user.target.wants/${state.name}.service → ${unitFile(node, unit)?.path ?? ''}.\n`;
      }
      continue;
    }
    return failure(1, stderr + problem);
  }
  return { stdout: '', stderr, exitCode: 0 };
}

const STARTS = new Set(['start', 'restart', 'reload-or-restart', 'reload', 'try-restart']);

async function apply(
  verb: string,
  state: UnitState,
  { node, now }: { readonly node: SimNode; readonly now: boolean },
): Promise<string | undefined> {
  if (verb === 'stop' || verb === 'kill' || (verb === 'disable' && now)) {
    if (state.transient) await stopTransient(node, state.name);
    else stopService(node, state.name);
  }
  if (verb === 'disable') state.enabled = false;
  node.changed();
  if (verb === 'reload' && state.active !== 'active') return `${state.name}.service is not active, cannot reload.`;
  if (verb === 'try-restart' && state.active !== 'active') return undefined;
  if (verb === 'start' && state.active === 'active') return undefined;
  if (!STARTS.has(verb) && !(verb === 'enable' && now)) return undefined;
  const reloads = verb.startsWith('reload') && state.active === 'active' && canReload(state.name);
  if (verb === 'reload' && !reloads)
    return `Failed to reload ${state.name}.service: Job type reload is not applicable for unit ${state.name}.service.`;
  const problem = reloads ? reloadService(node, state.name) : startService(node, state.name);
  if (problem === undefined) {
    if (state.name === 'kubelet') kubeletStarted(node);
    return undefined;
  }
  return `Job for ${state.name}.service failed because the control process exited with error code.\nSee "systemctl status ${state.name}.service" and "journalctl -xeu ${state.name}.service" for details.`;
}

function resetFailed(units: readonly string[], node: SimNode): Output {
  for (const state of Object.values(node.state.units)) {
    if (state.active !== 'failed' || (units.length > 0 && !units.map(baseName).includes(state.name))) continue;
    if (state.transient) delete node.state.units[state.name];
    else state.active = 'inactive';
  }
  node.changed();
  return ok();
}
