import { randomBytes } from 'node:crypto';
import { baseName, unitFile } from '../../world/systemd/services.ts';
import { startTransient } from '../../world/systemd/transient.ts';
import { durationSeconds } from '../durations.ts';
import { type CommandContext, failure, type Output, parseArguments } from '../shell/command.ts';

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

export async function systemdRun(args: readonly string[], context: CommandContext): Promise<Output> {
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

/** Finds the index at which the options of systemd-run end and the command begins. */
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
