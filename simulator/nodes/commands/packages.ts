import { programFile } from '../files/programs.ts';
import { log, type SimNode } from '../node.ts';
import { availableVersions, packageAt, versionMatches } from '../packages.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from '../shell/command.ts';
import { serviceState, startService } from '../systemd/services.ts';

const VALUES = new Set(['-o', '--option', '-t', '--target-release', '-c']);
const LISTS = '/var/lib/apt/lists';

/** Minor versions of Kubernetes whose package lists the machine has. */
function minorsOf(node: SimNode): readonly number[] {
  if (!node.root.exists(LISTS)) return [];
  return node.root.list(LISTS).flatMap((name) => {
    const minor = /^pkgs\.k8s\.io_v1\.(\d+)$/.exec(name)?.[1];
    return minor === undefined ? [] : [Number(minor)];
  });
}

/** Machines of the image come without package lists, as cloud images do: before `apt-get update` nothing can be located. */
function candidates(node: SimNode, name: string): readonly string[] {
  return node.root.exists(LISTS) ? availableVersions(name, minorsOf(node)) : [];
}

function update({ node }: CommandContext): Output {
  const { root } = node;
  root.makeDirectory(LISTS, true);
  let stdout =
    'Hit:1 http://archive.ubuntu.com/ubuntu jammy InRelease\nGet:2 http://archive.ubuntu.com/ubuntu jammy-updates InRelease [128 kB]\n';
  for (const name of root.list('/etc/apt/sources.list.d').filter((file) => file.endsWith('.list'))) {
    const text = root.readText(`/etc/apt/sources.list.d/${name}`);
    for (const [, options = '', url = '', minor = ''] of text.matchAll(
      /^deb\s+(?:\[([^\]]*)\]\s+)?(https:\/\/pkgs\.k8s\.io\/core:\/stable:\/v1\.(\d+)\/deb\/)/gm,
    )) {
      const key = /signed-by=(\S+)/.exec(options)?.[1];
      if (key !== undefined && !root.exists(key)) {
        return failure(
          100,
          `W: GPG error: ${url}  InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 234654DA9A296436\nE: The repository '${url}  InRelease' is not signed.`,
          stdout,
        );
      }
      stdout += `Get:3 ${url}  InRelease [1192 B]\n`;
      root.write(`${LISTS}/pkgs.k8s.io_v1.${minor}`, 'Packages\n');
    }
  }
  return ok(`${stdout}Fetched 131 kB in 1s (90.1 kB/s)\nReading package lists...\n`);
}

interface Wish {
  readonly name: string;
  readonly version: string;
}

function wishes(specs: readonly string[], node: SimNode): readonly Wish[] | Output {
  const wanted: Wish[] = [];
  for (const spec of specs) {
    const [name = '', asked] = spec.split('=');
    const versions = candidates(node, name);
    const installed = node.state.packages[name];
    if (versions.length === 0 && !installed)
      return failure(
        100,
        `E: Unable to locate package ${name}`,
        'Reading package lists...\nBuilding dependency tree...\n',
      );
    const version =
      asked === undefined
        ? (installed?.version ?? versions[0])
        : versions.find((candidate) => versionMatches(asked, candidate));
    if (version === undefined) {
      return failure(
        100,
        `E: Version '${asked ?? ''}' for '${name}' was not found`,
        'Reading package lists...\nBuilding dependency tree...\n',
      );
    }
    wanted.push({ name, version });
  }
  return wanted;
}

function closure(wanted: readonly Wish[], node: SimNode): readonly Wish[] {
  const all = new Map(wanted.map((wish) => [wish.name, wish]));
  const visit = ({ name, version }: Wish) => {
    for (const dependency of packageAt(name, version)?.depends ?? []) {
      if (all.has(dependency) || node.state.packages[dependency]) continue;
      const found = candidates(node, dependency)[0];
      if (found === undefined) continue;
      const wish = { name: dependency, version: found };
      all.set(dependency, wish);
      visit(wish);
    }
  };
  for (const wish of wanted) visit(wish);
  return [...all.values()];
}

/** Package names and versions that are still to be installed. */
function missing(specs: readonly string[], node: SimNode): readonly Wish[] | Output {
  const wanted = wishes(specs, node);
  if (!Array.isArray(wanted)) return wanted;
  return closure(wanted, node).filter(({ name, version }) => node.state.packages[name]?.version !== version);
}

function isOutput(value: readonly Wish[] | Output): value is Output {
  return !Array.isArray(value);
}

function install(specs: readonly string[], context: CommandContext, allowHeld: boolean): Output {
  const { node } = context;
  const wanted = missing(specs, node);
  if (isOutput(wanted)) return wanted;
  const head = 'Reading package lists...\nBuilding dependency tree...\nReading state information...\n';
  const already = specs
    .map((spec) => spec.split('=')[0] ?? '')
    .filter((name) => !wanted.some((wish) => wish.name === name))
    .map((name) => `${name} is already the newest version (${node.state.packages[name]?.version}).\n`);
  const held = wanted.filter(({ name }) => node.state.packages[name]?.held);
  if (held.length > 0 && !allowHeld) {
    return failure(100, 'E: Held packages were changed and -y was used without --allow-change-held-packages.', head);
  }
  for (const wish of wanted) unpack(node, wish);
  const fresh = wanted.filter(({ name }) => specs.some((spec) => spec.split('=')[0] === name));
  const lines = wanted.map(({ name, version }) => `Setting up ${name} (${version}) ...\n`);
  return ok(
    `${head}${already.join('')}${wanted.length > 0 ? `The following NEW packages will be installed:\n  ${wanted.map(({ name }) => name).join(' ')}\n` : ''}0 upgraded, ${fresh.length > 0 ? wanted.length : 0} newly installed, 0 to remove and 12 not upgraded.\n${lines.join('')}`,
  );
}

/** Puts the files of a package on the machine and starts what it starts. */
function unpack(node: SimNode, { name, version }: Wish): void {
  const found = packageAt(name, version);
  if (!found) return;
  for (const directory of found.directories ?? []) node.root.makeDirectory(directory, true);
  for (const path of found.programs ?? []) {
    const program = path.slice(path.lastIndexOf('/') + 1);
    node.root.write(path, programFile(program, version.replace(/^\d+:/, '').replace(/-[\w.~+]+$/, '')), {
      mode: 0o755,
    });
  }
  for (const [path, content] of Object.entries(found.files ?? {})) {
    node.root.makeDirectory(path.slice(0, path.lastIndexOf('/')), true);
    if (!path.startsWith('/etc/') || !node.root.exists(path)) node.root.write(path, content);
  }
  if (name === 'docker.io') node.root.write('/usr/bin/dockerd', programFile('dockerd', '24.0.5'), { mode: 0o755 });
  node.state.packages[name] = { version, held: node.state.packages[name]?.held ?? false };
  for (const service of found.starts ?? []) {
    const state = serviceState(node, service);
    if (!state || state.active === 'active') continue;
    state.enabled = true;
    startService(node, service);
  }
  log(node, 'apt-daily.service', `installed ${name} ${version}`);
}

function remove(names: readonly string[], { node }: CommandContext): Output {
  for (const name of names) {
    const installed = node.state.packages[name];
    if (!installed) continue;
    const found = packageAt(name, installed.version);
    for (const path of found?.programs ?? []) node.root.remove(path, { recursive: false, force: true });
    for (const service of found?.starts ?? []) delete node.state.units[service];
    delete node.state.packages[name];
  }
  node.changed();
  return ok(`Reading package lists...\n${names.map((name) => `Removing ${name} ...\n`).join('')}`);
}

function aptGet(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, VALUES);
  const [verb = '', ...names] = parsed.operands;
  if (!context.isRoot && verb !== '') {
    return failure(
      100,
      'E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?',
    );
  }
  if (verb === 'update') return update(context);
  if (verb === 'install') return install(names, context, parsed.has('--allow-change-held-packages'));
  if (verb === 'remove' || verb === 'purge') return remove(names, context);
  if (['clean', 'autoremove', 'autoclean', 'upgrade', 'dist-upgrade'].includes(verb))
    return ok('Reading package lists...\n');
  return failure(100, `E: Invalid operation ${verb}`);
}

/** Nothing to install takes no time worth speaking of. */
function aptSeconds(args: readonly string[], { node }: CommandContext): number | undefined {
  const [verb, ...names] = parseArguments(args, VALUES).operands;
  if (verb !== 'install') return undefined;
  const wanted = missing(names, node);
  return isOutput(wanted) || wanted.length === 0 ? 1 : undefined;
}

function aptMark([verb = '', ...names]: readonly string[], { node, isRoot }: CommandContext): Output {
  const { packages } = node.state;
  if (verb === 'showhold') {
    return ok(
      Object.entries(packages)
        .filter(([, { held }]) => held)
        .map(([name]) => `${name}\n`)
        .sort()
        .join(''),
    );
  }
  if (verb !== 'hold' && verb !== 'unhold') return failure(100, `E: Invalid operation ${verb}`);
  if (!isRoot)
    return failure(100, 'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?');
  let stdout = '';
  for (const name of names) {
    const installed = packages[name];
    if (!installed) {
      if (candidates(node, name).length === 0) return failure(100, `E: Unable to locate package ${name}`, stdout);
      continue;
    }
    const held = verb === 'hold';
    stdout +=
      installed.held === held
        ? `${name} was already ${held ? 'set on' : 'not on'} hold.\n`
        : held
          ? `${name} set on hold.\n`
          : `Canceled hold on ${name}.\n`;
    installed.held = held;
  }
  node.changed();
  return ok(stdout);
}

function dpkgQuery(args: readonly string[], { node }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-f', '--showformat']));
  const format = parsed.value('-f', '--showformat') ?? '${Package}\t${Version}\n';
  let stdout = '';
  let stderr = '';
  const names = parsed.operands.length > 0 ? parsed.operands : Object.keys(node.state.packages);
  for (const name of names) {
    const installed = node.state.packages[name];
    if (!installed) {
      stderr += `dpkg-query: no packages found matching ${name}\n`;
      continue;
    }
    const values: Readonly<Record<string, string>> = {
      Package: name,
      Version: installed.version,
      Status: `${installed.held ? 'hold' : 'install'} ok installed`,
      'db:Status-Abbrev': installed.held ? 'hi ' : 'ii ',
      Architecture: 'amd64',
    };
    stdout += format
      .replaceAll(/\$\{([\w:-]+)\}/g, (_, key: string) => values[key] ?? '')
      .replaceAll('\\n', '\n')
      .replaceAll('\\t', '\t');
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

function dpkg(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set());
  if (parsed.has('--print-architecture')) return ok('amd64\n');
  if (parsed.has('--configure')) return ok();
  const names = parsed.operands.length > 0 ? parsed.operands : Object.keys(context.node.state.packages);
  if (parsed.has('-l', '--list')) {
    const rows = names.flatMap((name) => {
      const installed = context.node.state.packages[name];
      return installed
        ? [`${installed.held ? 'hi' : 'ii'}  ${name.padEnd(20)} ${installed.version.padEnd(26)} amd64        ${name}\n`]
        : [];
    });
    if (rows.length === 0) return failure(1, `dpkg-query: no packages found matching ${names[0] ?? ''}`);
    return ok(`||/ Name                 Version                    Architecture Description\n${rows.join('')}`);
  }
  if (parsed.has('-s', '--status')) {
    const [name = ''] = names;
    const installed = context.node.state.packages[name];
    if (!installed) return failure(1, `dpkg-query: package '${name}' is not installed and no information is available`);
    return ok(`Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${installed.version}\n`);
  }
  return failure(2, 'dpkg: error: need an action option');
}

function aptCache([verb = '', name = '']: readonly string[], { node }: CommandContext): Output {
  const versions = candidates(node, name);
  if (verb === 'madison') {
    return ok(
      versions
        .map(
          (version) =>
            `${name.padStart(10)} | ${version.padStart(10)} | https://pkgs.k8s.io/core:/stable:/deb  Packages\n`,
        )
        .join(''),
    );
  }
  if (verb === 'policy') {
    return ok(
      `${name}:\n  Installed: ${node.state.packages[name]?.version ?? '(none)'}\n  Candidate: ${versions[0] ?? '(none)'}\n`,
    );
  }
  return failure(100, `E: Invalid operation ${verb}`);
}

export const PACKAGES: CommandTable = {
  'apt-get': { run: aptGet, seconds: aptSeconds },
  apt: { run: aptGet, seconds: aptSeconds },
  'apt-mark': { run: aptMark },
  'apt-cache': { run: aptCache },
  'dpkg-query': { run: dpkgQuery },
  dpkg: { run: dpkg },
};
