import { randomBytes } from 'node:crypto';
import type { SimNode } from '../node.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import {
  activeState,
  baseName,
  isAlwaysThere,
  kubeletProblem,
  serviceState,
  startService,
  stopService,
  unitFile,
} from '../systemd/services.ts';
import { startTransient, stopTransient } from '../systemd/transient.ts';
import type { UnitState } from '../systemd/unit-state.ts';
import { durationSeconds } from './shells.ts';

const CHANGES = new Set(
  'start stop restart reload reload-or-restart try-restart enable disable mask unmask daemon-reload reset-failed kill set-default isolate daemon-reexec'.split(
    ' ',
  ),
);

async function systemctl(args: readonly string[], context: CommandContext): Promise<Output> {
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
  const problem = startService(node, state.name);
  if (problem === undefined) return undefined;
  return `Job for ${state.name}.service failed because the control process exited with error code.\nSee "systemctl status ${state.name}.service" and "journalctl -xeu ${state.name}.service" for details.`;
}

function states(
  units: readonly string[],
  options: {
    readonly wanted: string;
    readonly quiet: boolean;
    readonly code: number;
    readonly state: (unit: string) => string;
  },
): Output {
  const found = units.map(options.state);
  const exitCode = found.includes(options.wanted) ? 0 : options.code;
  return { stdout: options.quiet ? '' : `${found.join('\n')}\n`, stderr: '', exitCode };
}

function isEnabled(units: readonly string[], node: SimNode, quiet: boolean): Output {
  let exitCode = 1;
  let stdout = '';
  for (const unit of units) {
    const state = serviceState(node, unit);
    if (!state && !isAlwaysThere(unit)) {
      return failure(1, `Failed to get unit file state for ${baseName(unit)}.service: No such file or directory`);
    }
    const enabled = state?.enabled ?? true;
    if (enabled) exitCode = 0;
    stdout += `${enabled ? 'enabled' : state?.transient ? 'transient' : 'disabled'}\n`;
  }
  return { stdout: quiet ? '' : stdout, stderr: '', exitCode };
}

function properties(unit: string, node: SimNode): Readonly<Record<string, string>> {
  const state = isAlwaysThere(unit) ? undefined : serviceState(node, unit);
  const active = activeState(node, unit);
  const sub = { active: 'running', activating: 'auto-restart', inactive: 'dead', failed: 'failed' }[active];
  return {
    Id: `${baseName(unit)}.service`,
    Description: state?.description ?? baseName(unit),
    LoadState: state || isAlwaysThere(unit) ? 'loaded' : 'not-found',
    ActiveState: active,
    SubState: sub,
    Result: state?.result ?? 'success',
    ExecMainStatus: String(state?.exitCode ?? 0),
    ExecMainCode: state && state.active !== 'active' ? '1' : '0',
    MainPID: String(state?.pid ?? 0),
    ExecMainPID: String(state?.pid ?? 0),
    UnitFileState: state?.transient ? 'transient' : state?.enabled || isAlwaysThere(unit) ? 'enabled' : 'disabled',
    ActiveEnterTimestamp: state?.since ?? '',
    FragmentPath: unitFile(node, unit)?.path ?? '',
    NRestarts: '0',
  };
}

function show(
  units: readonly string[],
  wanted: string,
  { node, value }: { readonly node: SimNode; readonly value: boolean },
): Output {
  const names = wanted.split(',').filter(Boolean);
  const blocks = units.map((unit) => {
    const all = properties(unit, node);
    const keys = names.length > 0 ? names.filter((name) => name in all) : Object.keys(all);
    return keys.map((key) => (value ? `${all[key]}\n` : `${key}=${all[key]}\n`)).join('');
  });
  return ok(blocks.join('\n'));
}

function status(units: readonly string[], node: SimNode): Output {
  const [unit = ''] = units;
  const all = properties(unit, node);
  if (all['LoadState'] === 'not-found') return failure(4, `Unit ${baseName(unit)}.service could not be found.`);
  const active = all['ActiveState'] ?? '';
  const lines = node.state.journal
    .filter((entry) => entry.unit === `${baseName(unit)}.service`)
    .slice(-10)
    .map(({ at, text }) => `${at} ${node.state.hostname} ${baseName(unit)}: ${text}`);
  const head = `● ${baseName(unit)}.service - ${all['Description']}\n     Loaded: loaded (${all['FragmentPath']}; ${all['UnitFileState']}; vendor preset: enabled)\n     Active: ${active} (${all['SubState']}) since ${all['ActiveEnterTimestamp']}\n   Main PID: ${all['MainPID']}\n`;
  return { stdout: `${head}\n${lines.join('\n')}\n`, stderr: '', exitCode: active === 'active' ? 0 : 3 };
}

function listUnits(node: SimNode, patterns: readonly string[]): Output {
  const rows = Object.values(node.state.units)
    .filter(({ name }) => patterns.length === 0 || patterns.some((pattern) => globMatches(pattern, `${name}.service`)))
    .map(({ name, description }) => {
      const all = properties(name, node);
      return `  ${`${name}.service`.padEnd(40)} loaded ${(all['ActiveState'] ?? '').padEnd(10)} ${(all['SubState'] ?? '').padEnd(10)} ${description}\n`;
    });
  return ok(`  UNIT LOAD ACTIVE SUB DESCRIPTION\n${rows.join('')}\n${rows.length} loaded units listed.\n`);
}

function globMatches(pattern: string, name: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}(\\.service)?$`).test(name);
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

const RUN_VALUES = new Set([
  '--unit',
  '-u',
  '--description',
  '--property',
  '-p',
  '--slice',
  '--uid',
  '--gid',
  '--nice',
  '--working-directory',
  '--setenv',
  '-E',
  '--service-type',
  '--on-active',
  '-M',
  '--machine',
]);

async function systemdRun(args: readonly string[], context: CommandContext): Promise<Output> {
  const { node } = context;
  const split = commandStart(args);
  const parsed = parseArguments(args.slice(0, split), RUN_VALUES);
  const argv = args.slice(split);
  if (argv.length === 0) return failure(1, 'Command line to execute required.');
  if (!context.isRoot)
    return failure(1, 'Failed to start transient service unit: Interactive authentication required.');
  const name = baseName(parsed.value('--unit', '-u') ?? `run-r${randomBytes(16).toString('hex')}`);
  const existing = node.state.units[name];
  if (existing || unitFile(node, name)) {
    return failure(
      1,
      `Failed to start transient service unit: Unit ${name}.service was already loaded or has a fragment file.`,
    );
  }
  const settings = keyValues([...(parsed.all.get('--property') ?? []), ...(parsed.all.get('-p') ?? [])]);
  const environment = keyValues([...(parsed.all.get('--setenv') ?? []), ...(parsed.all.get('-E') ?? [])]);
  const limit = settings['RuntimeMaxSec'];
  const pipe = parsed.has('--pipe', '-P', '--pty', '-t');
  const collected = pipe ? `/run/systemd/pipe-${name}` : '';
  const ended = startTransient(node, {
    name,
    description: parsed.value('--description') ?? argv.join(' '),
    argv,
    environment,
    workingDirectory: parsed.value('--working-directory') ?? settings['WorkingDirectory'] ?? '/',
    standardOutput: pipe ? `append:${collected}` : (settings['StandardOutput'] ?? 'journal'),
    standardError: settings['StandardError'] ?? 'inherit',
    umask: settings['UMask'] === undefined ? 0o022 : Number.parseInt(settings['UMask'], 8),
    runtimeMaxSeconds: limit === undefined || limit === 'infinity' ? null : durationSeconds(limit),
    collect: parsed.has('--collect', '-G'),
    remainAfterExit: parsed.has('--remain-after-exit', '-r'),
    slice: parsed.value('--slice') ?? 'system.slice',
  });
  const said = parsed.has('--quiet', '-q') ? '' : `Running as unit: ${name}.service\n`;
  if (!parsed.has('--wait') && !pipe) return { stdout: '', stderr: said, exitCode: 0 };
  const state = node.state.units[name];
  await ended;
  const stdout = pipe && node.root.exists(collected) ? node.root.read(collected) : '';
  if (pipe) node.root.remove(collected, { recursive: false, force: true });
  return { stdout, binary: true, stderr: said, exitCode: state?.exitCode ?? 0 };
}

/** Where the options of systemd-run end and the command begins. */
function commandStart(args: readonly string[]): number {
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (argument === '--') return index + 1;
    if (!argument.startsWith('-')) return index;
    if (RUN_VALUES.has(argument)) index += 1;
  }
  return args.length;
}

function keyValues(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function journalctl(args: readonly string[], { node }: CommandContext): Output {
  const parsed = parseArguments(
    args,
    new Set(['-u', '--unit', '-n', '--lines', '-o', '--output', '-S', '--since', '-p', '-t']),
  );
  const unit = parsed.value('-u', '--unit');
  const shown = node.state.journal.filter((entry) => unit === undefined || entry.unit === `${baseName(unit)}.service`);
  const rows = [...shown];
  if (unit !== undefined && baseName(unit) === 'kubelet' && activeState(node, unit) === 'activating') {
    rows.push({
      at: new Date().toISOString(),
      unit: 'kubelet.service',
      text: `"command failed" err="${kubeletProblem(node) ?? ''}"`,
    });
  }
  const count = Number(parsed.value('-n', '--lines') ?? rows.length);
  const cat = parsed.value('-o', '--output') === 'cat';
  const lines = rows
    .slice(-count)
    .map(({ at, unit: from, text }) =>
      cat ? text : `${at.slice(0, 19)} ${node.state.hostname} ${baseName(from)}[1]: ${text}`,
    );
  return ok(lines.length === 0 ? '-- No entries --\n' : `${lines.join('\n')}\n`);
}

export const SYSTEMD: CommandTable = {
  systemctl: { run: systemctl },
  'systemd-run': { run: systemdRun },
  journalctl: { run: journalctl },
  loginctl: { run: () => ok('No sessions.\n') },
};
