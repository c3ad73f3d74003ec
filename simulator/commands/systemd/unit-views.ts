import {
  activeState,
  baseName,
  isAlwaysThere,
  serviceState,
  unitFile,
  unitTexts,
} from '../../world/systemd/services.ts';
import { assignments } from '../../world/systemd/unit-environment.ts';
import type { SimNode } from '../../world/world.ts';
import { failure, type Output, ok } from '../shell/command.ts';

export function states(
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

export function isEnabled(units: readonly string[], node: SimNode, quiet: boolean): Output {
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
    Environment: environmentShown(unit, node),
  };
}

/** `Environment=` of a unit: every user may read it. Of environment files systemd shows only the names. */
function environmentShown(unit: string, node: SimNode): string {
  const lines = unitTexts(node, unit).flatMap((text) => text.split('\n'));
  const assigned = lines.flatMap((line) => /^Environment=(.*)$/.exec(line)?.[1] ?? []);
  return Object.entries(Object.assign({}, ...assigned.map(assignments)))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

export function show(
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

export function status(units: readonly string[], node: SimNode): Output {
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

export function listUnits(node: SimNode, patterns: readonly string[]): Output {
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
