import { programFile } from '../files/programs.ts';
import { nameOf, parentOf } from '../files/tree.ts';
import { log } from '../nodes/node.ts';
import { serviceState, startService, stopService } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import { DOCKER_PACKAGES } from './docker.ts';
import { kubernetesPackages } from './kubernetes.ts';
import { type DebianPackage, upstreamVersion } from './package.ts';
import { listPath, repositoryAt, sourcesOf } from './sources.ts';
import { imagePackages, imageVersion, UBUNTU_PACKAGES } from './ubuntu.ts';
import { compareVersions } from './version-order.ts';

/**
 * Returns the version of a package on a machine. Undefined when it is not installed; '' when it was part of the image
 * and was removed.
 */
export function installedVersion({ state }: SimNode, name: string): string | undefined {
  const own = state.packages[name]?.version;
  return own === '' ? undefined : (own ?? imageVersion(name));
}

export function isHeld({ state }: SimNode, name: string): boolean {
  return state.packages[name]?.held ?? false;
}

export function installedNames(node: SimNode): readonly string[] {
  const names = new Set([...imagePackages(), ...Object.keys(node.state.packages)]);
  return [...names].filter((name) => installedVersion(node, name) !== undefined).sort();
}

/**
 * The packages that the machine's lists offer, newest first. A cloud image has no lists, so before `apt-get update`
 * there are none.
 */
export function listOffered(
  node: SimNode,
  name: string,
): readonly { readonly found: DebianPackage; readonly from: string }[] {
  return sourcesOf(node)
    .filter((source) => node.root.exists(listPath(source)))
    .flatMap((source) =>
      (repositoryAt(source)?.packages ?? [])
        .filter((found) => found.name === name)
        .map((found) => ({ found, from: `${source.uri} ${source.suite}` })),
    )
    .toSorted((left, right) => compareVersions(right.found.version, left.found.version));
}

/** Finds an installed package, also when its repository was removed. */
function packageOf(name: string, version: string): DebianPackage | undefined {
  const minor = /^(\d+\.\d+)\./.exec(version)?.[1] ?? '';
  return [
    ...(UBUNTU_PACKAGES.get(name) ? [UBUNTU_PACKAGES.get(name)] : []),
    ...(kubernetesPackages(minor) ?? []),
    ...DOCKER_PACKAGES,
  ].find((found) => found?.name === name && found.version === version);
}

const CONFIGURATION = '/etc/';

/** Unpacks a package like dpkg: it replaces the package's files and keeps existing configuration files. */
export function unpack(node: SimNode, found: DebianPackage): void {
  const { root, state } = node;
  for (const directory of found.directories ?? []) root.makeDirectory(directory, true);
  const write = (path: string, bytes: string, mode: number) => {
    root.makeDirectory(parentOf(path), true);
    root.write(path, bytes, { mode });
  };
  for (const path of found.programs ?? [])
    write(path, programFile(nameOf(path), upstreamVersion(found.version)), 0o755);
  for (const [path, text] of Object.entries(found.files ?? {})) {
    if (!path.startsWith(CONFIGURATION) || !root.exists(path)) write(path, text, 0o644);
  }
  state.packages[found.name] = { version: found.version, held: isHeld(node, found.name) };
  log(node, 'apt', `installed ${found.name} ${found.version}`);
}

/** Runs the package's script after unpacking: it enables and starts services, and leaves running ones alone. */
export function configure(node: SimNode, found: DebianPackage): void {
  for (const service of [...(found.starts ?? []), ...(found.enables ?? [])]) {
    const state = serviceState(node, service);
    if (state) state.enabled = true;
  }
  for (const service of found.starts ?? []) {
    if (serviceState(node, service)?.active !== 'active') startService(node, service);
  }
  node.changed();
}

/** Removes a package. @param purge removes its configuration files, too */
export function uninstall(node: SimNode, name: string, purge: boolean): void {
  const { root, state } = node;
  const found = packageOf(name, installedVersion(node, name) ?? '');
  for (const service of [...(found?.starts ?? []), ...(found?.enables ?? []), name]) {
    if (!state.units[service]) continue;
    stopService(node, service);
    delete state.units[service];
  }
  const files = Object.keys(found?.files ?? {}).filter((path) => purge || !path.startsWith(CONFIGURATION));
  for (const path of [...(found?.programs ?? []), ...files]) root.remove(path, { recursive: false, force: true });
  if (imageVersion(name) === undefined) delete state.packages[name];
  else state.packages[name] = { version: '', held: false };
  node.changed();
}
