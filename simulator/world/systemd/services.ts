import { haproxyProblem } from '../cluster/haproxy.ts';
import { keepalivedProblem } from '../cluster/keepalived.ts';
import { installedProgram } from '../files/installed-program.ts';
import { log } from '../nodes/node.ts';
import type { SimNode } from '../world.ts';
import { unitEnvironment } from './unit-environment.ts';
import type { UnitState } from './unit-state.ts';

/** Services of the image that always exist and always run. */
const ALWAYS = new Set([
  'ssh',
  'sshd',
  'cron',
  'rsyslog',
  'systemd-resolved',
  'systemd-networkd',
  'systemd-journald',
  'dbus',
]);

/** Services that use the loaded configuration until a reload. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  haproxy: '/etc/haproxy/haproxy.cfg',
  keepalived: '/etc/keepalived/keepalived.conf',
};

/** Files that other services read at their start, and not when they are reloaded. */
const READ_AT_START: Readonly<Record<string, string>> = {
  ...CONFIGURATIONS,
  containerd: '/etc/containerd/config.toml',
  kubelet: '/var/lib/kubelet/config.json',
};

const UNIT_DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
] as const;

export function baseName(unit: string): string {
  return unit.replace(/\.service$/, '');
}

export interface UnitFile {
  readonly path: string;
  readonly description: string;
  readonly argv: readonly string[];
}

/** Finds the unit file of a service like systemd. */
export function unitFile(node: SimNode, unit: string): UnitFile | undefined {
  for (const directory of UNIT_DIRECTORIES) {
    const path = `${directory}/${baseName(unit)}.service`;
    if (!node.root.exists(path)) continue;
    const text = node.root.readText(path);
    const start = /^ExecStart=[-@:+!]*(.*)$/m.exec(text)?.[1] ?? '';
    return {
      path,
      description: /^Description=(.*)$/m.exec(text)?.[1] ?? baseName(unit),
      argv: start.split(/\s+/).filter(Boolean),
    };
  }
  return undefined;
}

/** The texts of a unit's file and of its drop-ins, in the order in which systemd reads them. */
export function unitTexts(node: SimNode, unit: string): readonly string[] {
  const { root } = node;
  const directories = UNIT_DIRECTORIES.map((directory) => `${directory}/${baseName(unit)}.service.d`);
  const names = directories.flatMap((directory) => (root.exists(directory) ? root.list(directory) : []));
  const dropIns = [...new Set(names.filter((name) => name.endsWith('.conf')))].sort().flatMap((name) => {
    const path = directories.map((directory) => `${directory}/${name}`).find((candidate) => root.exists(candidate));
    return path === undefined ? [] : [path];
  });
  const file = unitFile(node, unit)?.path;
  return [...(file === undefined ? [] : [file]), ...dropIns].map((path) => root.readText(path));
}

export function isAlwaysThere(unit: string): boolean {
  return ALWAYS.has(baseName(unit));
}

/** Returns systemd's word for the state of a unit. */
export function activeState(node: SimNode, unit: string): 'active' | 'activating' | 'inactive' | 'failed' {
  if (isAlwaysThere(unit)) return 'active';
  const state = node.state.units[baseName(unit)];
  if (!state) return 'inactive';
  if (baseName(unit) === 'kubelet' && state.active === 'active' && kubeletProblem(node) !== undefined)
    return 'activating';
  return state.active;
}

/** Returns why the kubelet exits right after its start. Undefined when it runs. */
export function kubeletProblem(node: SimNode): string | undefined {
  if (!node.root.exists('/var/lib/kubelet/config.yaml')) {
    return 'failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file "/var/lib/kubelet/config.yaml", error: open /var/lib/kubelet/config.yaml: no such file or directory';
  }
  if (node.state.kernel.swaps.length > 0) {
    return 'running with swap on is not supported, please disable swap! or set --fail-swap-on flag to false.';
  }
  if (activeState(node, 'containerd') !== 'active') {
    return 'failed to run Kubelet: unable to determine runtime API version: rpc error: code = Unavailable desc = connection error: dial unix /run/containerd/containerd.sock: connect: no such file or directory';
  }
  return undefined;
}

export function kubeletRuns(node: SimNode): boolean {
  return activeState(node, 'kubelet') === 'active';
}

/** Returns why a service does not start. Undefined when it starts. */
function startProblem(node: SimNode, file: UnitFile): string | undefined {
  const program = file.argv[0] ?? '';
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (!node.root.exists(program) || !installedProgram(node, name)) {
    return `Failed to locate executable ${program}: No such file or directory`;
  }
  if (name === 'containerd' && containerdConfigProblem(node)) return containerdConfigProblem(node);
  if (name === 'haproxy') return haproxyProblem(node);
  if (name === 'keepalived') return keepalivedProblem(node);
  return undefined;
}

function containerdConfigProblem(node: SimNode): string | undefined {
  const path = '/etc/containerd/config.toml';
  if (!node.root.exists(path)) return undefined;
  const quotes = node.root
    .readText(path)
    .split('\n')
    .find((line) => (line.split('"').length - 1) % 2 === 1);
  return quotes === undefined ? undefined : `containerd: failed to load TOML: ${path}: ${quotes.trim()}`;
}

function createUnitState(name: string, description: string): UnitState {
  return {
    name,
    description,
    active: 'inactive',
    enabled: false,
    since: new Date().toISOString(),
    result: 'success',
    exitCode: 0,
    pid: 0,
  };
}

export function serviceState(node: SimNode, unit: string): UnitState | undefined {
  const name = baseName(unit);
  const known = node.state.units[name];
  if (known) return known;
  const file = unitFile(node, name);
  if (!file) return undefined;
  const state = createUnitState(name, file.description);
  node.state.units[name] = state;
  return state;
}

/** Starts a service. @returns the reason of the failure, or undefined */
export function startService(node: SimNode, unit: string): string | undefined {
  const file = unitFile(node, unit);
  const state = serviceState(node, unit);
  if (!file || !state) return undefined;
  const problem = readEnvironment(node, state) ?? startProblem(node, file);
  state.active = problem === undefined ? 'active' : 'failed';
  state.result = problem === undefined ? 'success' : 'exit-code';
  state.exitCode = problem === undefined ? 0 : 1;
  state.since = new Date().toISOString();
  state.pid = problem === undefined ? node.nextPid++ : 0;
  readConfiguration(node, state);
  log(node, `${state.name}.service`, problem ?? `Started ${file.description}.`);
  node.changed();
  return problem;
}

/**
 * Takes the environment from the unit's files. A unit that runs keeps the one that systemd has read before, until
 * `systemctl daemon-reload`.
 * @returns why the service does not start, or undefined
 */
function readEnvironment(node: SimNode, state: UnitState): string | undefined {
  if (state.active === 'active' && state.environment && !state.isReloaded) return undefined;
  const made = unitEnvironment(node, unitTexts(node, state.name));
  if ('problem' in made) return made.problem;
  state.environment = made.variables;
  state.isReloaded = false;
  return undefined;
}

/** Reads the files of all units again, for their next start. */
export function reloadUnitFiles(node: SimNode): void {
  for (const state of Object.values(node.state.units)) state.isReloaded = true;
  node.changed();
}

function readConfiguration(node: SimNode, state: UnitState): void {
  const path = READ_AT_START[state.name];
  if (path !== undefined) state.loaded = node.root.exists(path) ? node.root.readText(path) : '';
}

export function canReload(unit: string): boolean {
  return baseName(unit) in CONFIGURATIONS;
}

/** Reloads the configuration of a running service. @returns why it keeps the old one, or undefined */
export function reloadService(node: SimNode, unit: string): string | undefined {
  const file = unitFile(node, unit);
  const state = serviceState(node, unit);
  if (!file || !state) return undefined;
  const problem = startProblem(node, file);
  if (problem === undefined) readConfiguration(node, state);
  log(node, `${state.name}.service`, problem ?? `Reloaded ${file.description}.`);
  node.changed();
  return problem;
}

export function stopService(node: SimNode, unit: string): void {
  const state = serviceState(node, unit);
  if (!state || state.active === 'inactive') return;
  state.active = 'inactive';
  state.since = new Date().toISOString();
  state.pid = 0;
  log(node, `${state.name}.service`, `Stopped ${state.description}.`);
  node.changed();
}

/** Starts the enabled services at boot and removes transient units. */
export function bootServices(node: SimNode): void {
  for (const [name, state] of Object.entries(node.state.units)) {
    if (state.transient) delete node.state.units[name];
    else {
      state.active = 'inactive';
      if (state.enabled) startService(node, name);
    }
  }
}

/** Returns the running services with their processes. */
export function servicesRunning(node: SimNode): readonly { argv: readonly string[]; pid: number; user: string }[] {
  return Object.values(node.state.units)
    .filter((state) => state.active === 'active' && !state.transient && activeState(node, state.name) === 'active')
    .map((state) => ({ argv: unitFile(node, state.name)?.argv ?? [state.name], pid: state.pid, user: 'root' }));
}
