import { commandSeconds } from '../../kernel/latency.ts';
import { aptConfiguration } from '../../world/apt/configuration.ts';
import {
  configure,
  installedNames,
  installedVersion,
  isHeld,
  listOffered,
  uninstall,
  unpack,
} from '../../world/apt/installed.ts';
import { heldOf, type Plan, planInstall } from '../../world/apt/plan.ts';
import { FileError } from '../../world/files/tree.ts';
import { aptClient, type ProxyClient } from '../../world/internet/proxy-client.ts';
import {
  type Arguments,
  type CommandContext,
  type CommandTable,
  failure,
  type Output,
  ok,
  parseArguments,
} from '../shell/command.ts';
import { findDownloadRefusal } from './download.ts';
import { DPKG_LOCK, LISTS_LOCK, withLock } from './lock.ts';
import { updateLists } from './update.ts';

const VALUES = new Set(
  '-o --option -t --target-release --default-release -c --config-file -a --host-architecture'.split(' '),
);
const HEAD = 'Reading package lists...\nBuilding dependency tree...\nReading state information...\n';
/** dpkg keeps a file here while it unpacks a package. A file that remains shows that dpkg was interrupted. */
const UPDATES = '/var/lib/dpkg/updates';
const INTERRUPTED = "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. ";

interface Request {
  readonly names: readonly string[];
  readonly options: Arguments;
  readonly context: CommandContext;
  /** Duration of this command line, simulated seconds. */
  readonly seconds: number;
}

function settingsOf(options: Arguments): readonly string[] {
  return [...(options.all.get('-o') ?? []), ...(options.all.get('--option') ?? [])];
}

function clientOf({ options, context }: Pick<Request, 'options' | 'context'>): ProxyClient {
  return aptClient(aptConfiguration(context.node, settingsOf(options)), context.env);
}

function lockWait(options: Arguments): number {
  const asked = settingsOf(options)
    .map((setting) => /^dpkg::lock::timeout=(-?\d+)$/i.exec(setting)?.[1])
    .findLast((value) => value !== undefined);
  return Number(asked ?? '0');
}

async function locked(request: Request, path: string, work: () => Promise<Output>): Promise<Output> {
  const { context, options } = request;
  const result = await withLock(context, path, { wait: lockWait(options), work });
  if ('done' in result) return result.done;
  const { pid, name } = result.heldBy;
  const what =
    path === DPKG_LOCK
      ? `acquire the dpkg frontend lock (${path}), is another process using it?`
      : `lock directory ${path.replace(/lock$/, '')}`;
  return failure(
    100,
    `E: Could not get lock ${path}. It is held by process ${pid} (${name})\nN: Be aware that removing the lock file is not a solution and may break your system.\nE: Unable to ${what}`,
  );
}

function notRoot(verb: string): Output {
  const path = verb === 'update' ? LISTS_LOCK : DPKG_LOCK;
  const what =
    verb === 'update'
      ? 'lock directory /var/lib/apt/lists/'
      : `acquire the dpkg frontend lock (${path}), are you root?`;
  return failure(
    100,
    `E: Could not open lock file ${path} - open (13: Permission denied)\nE: Unable to ${what}`,
    verb === 'update' ? 'Reading package lists...\n' : '',
  );
}

function wasInterrupted({ root }: CommandContext['node']): boolean {
  return root.exists(UPDATES) && root.list(UPDATES).length > 0;
}

async function update(request: Request): Promise<Output> {
  return locked(request, LISTS_LOCK, async () => {
    await request.context.sleep(request.seconds);
    return updateLists(request.context.node, clientOf(request));
  });
}

async function install(request: Request): Promise<Output> {
  return locked(request, DPKG_LOCK, async () => {
    const { context, names, options } = request;
    const { node } = context;
    if (wasInterrupted(node)) return failure(100, INTERRUPTED);
    const plan = planInstall(node, names);
    if ('refusal' in plan) {
      await context.sleep(Math.min(1, request.seconds));
      return failure(100, plan.refusal, HEAD);
    }
    const stdout = HEAD + summary(node, plan);
    const refusal = await confirmPlan(plan, { options, context });
    if (refusal) return { ...refusal, stdout: stdout + (refusal.stdout ?? '') };
    if (options.has('-s', '--simulate', '--dry-run') || plan.unpack.length === 0) {
      await context.sleep(Math.min(1, request.seconds));
      return ok(stdout);
    }
    if (options.has('-d', '--download-only')) return ok(`${stdout}Download complete and in download only mode\n`);
    return fetchFailure(plan, request, stdout) ?? carryOut(plan, { context, stdout, seconds: request.seconds });
  });
}

/** Downloads the archives of the packages. @returns apt's error, or undefined when all have come */
function fetchFailure(plan: Plan, request: Request, stdout: string): Output | undefined {
  const { node } = request.context;
  const client = clientOf(request);
  const errors = plan.unpack.flatMap(({ name, version }) => {
    const from = listOffered(node, name).find(({ found }) => found.version === version)?.from ?? '';
    const url = `${from.split(' ')[0] ?? ''}/${name}_${version}_amd64.deb`;
    const refusal = findDownloadRefusal(node, url, client);
    return refusal === undefined ? [] : [`E: Failed to fetch ${url}  ${refusal.reason}\n`];
  });
  if (errors.length === 0) return undefined;
  const end = 'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?';
  return failure(100, errors.join('') + end, stdout);
}

/** Asks before it changes more than was named. @returns why apt goes no further; undefined when it may go on */
async function confirmPlan(
  plan: Plan,
  { options, context }: { readonly options: Arguments; readonly context: CommandContext },
): Promise<Output | undefined> {
  const yes = options.has('-y', '--yes', '--assume-yes');
  const held = heldOf(context.node, plan);
  if (held.length > 0 && yes && !options.has('--allow-change-held-packages')) {
    return failure(100, 'E: Held packages were changed and -y was used without --allow-change-held-packages.');
  }
  if (plan.downgraded.length > 0 && yes && !options.has('--allow-downgrades')) {
    return failure(100, 'E: Packages were downgraded and -y was used without --allow-downgrades.');
  }
  if (yes || plan.additional.length + held.length + plan.downgraded.length === 0) return undefined;
  const answer = (await context.stdin()).trim();
  return /^y/i.test(answer) ? undefined : failure(1, '', 'Do you want to continue? [Y/n] Abort.\n');
}

function list(title: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${title}\n  ${names.toSorted().join(' ')}\n`;
}

function summary(node: CommandContext['node'], plan: Plan): string {
  const already = plan.already
    .map((name) => `${name} is already the newest version (${installedVersion(node, name)}).\n`)
    .join('');
  const counts = `${plan.upgraded.length} upgraded, ${plan.fresh.length} newly installed, ${plan.downgraded.length > 0 ? `${plan.downgraded.length} downgraded, ` : ''}0 to remove and 12 not upgraded.\n`;
  return (
    already +
    list('The following additional packages will be installed:', plan.additional) +
    list('The following held packages will be changed:', heldOf(node, plan)) +
    list('The following NEW packages will be installed:', plan.fresh) +
    list('The following packages will be upgraded:', plan.upgraded) +
    list('The following packages will be DOWNGRADED:', plan.downgraded) +
    counts
  );
}

/**
 * Downloads for half of the time and unpacks in the other half. A kill during the second half leaves dpkg interrupted.
 */
async function carryOut(
  plan: Plan,
  { context, stdout, seconds }: { readonly context: CommandContext; readonly stdout: string; readonly seconds: number },
): Promise<Output> {
  const { node } = context;
  await context.sleep(seconds / 2);
  const marker = `${UPDATES}/0001`;
  try {
    node.root.makeDirectory(UPDATES, true);
    node.root.write(marker, plan.unpack.map(({ name }) => `Package: ${name}\n`).join('\n'));
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOSPC') throw error;
    return failure(
      100,
      "E: You don't have enough free space in /var/cache/apt/archives/.\nE: Write error - write (28: No space left on device)",
      stdout,
    );
  }
  await context.sleep(seconds / 2);
  let said = stdout;
  try {
    for (const found of plan.unpack) {
      unpack(node, found);
      said += `Unpacking ${found.name} (${found.version}) ...\n`;
    }
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'ENOSPC') throw error;
    return failure(
      100,
      `dpkg: error processing archive (--unpack):\n cannot copy extracted data for '.${error.path}' to '${error.path}.dpkg-new': failed to write (No space left on device)\nE: Sub-process /usr/bin/dpkg returned an error code (1)`,
      said,
    );
  } finally {
    node.root.remove(marker, { recursive: false, force: true });
  }
  for (const found of plan.unpack) {
    configure(node, found);
    said += `Setting up ${found.name} (${found.version}) ...\n`;
  }
  return ok(said);
}

async function remove(request: Request, purge: boolean): Promise<Output> {
  return locked(request, DPKG_LOCK, async () => {
    const { context, names, options } = request;
    const { node } = context;
    if (wasInterrupted(node)) return failure(100, INTERRUPTED);
    const there: string[] = [];
    let stdout = HEAD;
    for (const name of names.map((word) => word.replace(/-$/, ''))) {
      if (installedVersion(node, name) !== undefined) there.push(name);
      else if (listOffered(node, name).length === 0) return failure(100, `E: Unable to locate package ${name}`, stdout);
      else stdout += `Package '${name}' is not installed, so not removed\n`;
    }
    const held = there.filter((name) => isHeld(node, name));
    if (held.length > 0 && !options.has('--allow-change-held-packages')) {
      return failure(
        100,
        'E: Held packages were changed and -y was used without --allow-change-held-packages.',
        stdout,
      );
    }
    if (
      there.length > 0 &&
      !options.has('-y', '--yes', '--assume-yes') &&
      !/^y/i.test((await context.stdin()).trim())
    ) {
      return failure(1, '', `${stdout}Do you want to continue? [Y/n] Abort.\n`);
    }
    for (const name of there) {
      stdout += `Removing ${name} (${installedVersion(node, name)}) ...\n`;
      uninstall(node, name, purge);
    }
    return ok(stdout);
  });
}

const NOTHING_TO_DO = `${HEAD}0 upgraded, 0 newly installed, 0 to remove and 12 not upgraded.\n`;

type Verb = (request: Request) => Promise<Output> | Output;

const VERBS: Readonly<Record<string, Verb>> = {
  update,
  install,
  reinstall: install,
  remove: (request) => remove(request, false),
  purge: (request) => remove(request, true),
  autoremove: (request) => locked(request, DPKG_LOCK, async () => ok(NOTHING_TO_DO)),
  upgrade: (request) => locked(request, DPKG_LOCK, async () => ok(NOTHING_TO_DO)),
  'dist-upgrade': (request) => locked(request, DPKG_LOCK, async () => ok(NOTHING_TO_DO)),
  'full-upgrade': (request) => locked(request, DPKG_LOCK, async () => ok(NOTHING_TO_DO)),
  check: () => ok('Reading package lists...\nBuilding dependency tree...\nReading state information...\n'),
  clean: () => ok(),
  autoclean: () => ok(),
};

async function aptGet(args: readonly string[], context: CommandContext): Promise<Output> {
  const options = parseArguments(args, VALUES);
  if (options.has('--version', '-v')) return ok('apt 2.4.11 (amd64)\n');
  const [verb = '', ...names] = options.operands;
  const act = VERBS[verb];
  if (verb === '') return ok('apt 2.4.11 (amd64)\nUsage: apt-get [options] command\n');
  if (!act) return failure(100, `E: Invalid operation ${verb}`);
  if (!context.isRoot && verb !== 'check') return notRoot(verb);
  const seconds = commandSeconds(context.world.latency, `apt-get ${[verb, ...names].join(' ')}`);
  return act({ names, options, context, seconds });
}

async function apt(args: readonly string[], context: CommandContext): Promise<Output> {
  const [verb] = parseArguments(args, VALUES).operands;
  if (verb === 'list') return listPackages(args, context);
  const result = await aptGet(args, context);
  const warning = '\nWARNING: apt does not have a stable CLI interface. Use with caution in scripts.\n\n';
  return { ...result, stderr: warning + (result.stderr ?? '') };
}

function listPackages(args: readonly string[], { node }: CommandContext): Output {
  const patterns = parseArguments(args, VALUES).operands.slice(1);
  const names = installedNames(node).filter((name) => patterns.length === 0 || patterns.includes(name));
  return ok(
    `Listing...\n${names.map((name) => `${name}/now ${installedVersion(node, name)} amd64 [installed]\n`).join('')}`,
  );
}

export const APT: CommandTable = {
  // apt-get spends its time while it holds the lock, not before
  'apt-get': { run: aptGet, seconds: () => 0 },
  apt: { run: apt, seconds: () => 0 },
};
