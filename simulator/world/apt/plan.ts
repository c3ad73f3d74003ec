import type { SimNode } from '../world.ts';
import { installedVersion, isHeld, listOffered } from './installed.ts';
import type { DebianPackage } from './package.ts';
import { compareVersions, versionMatches } from './version-order.ts';

/** The changes that an `apt-get install` makes. */
export interface Plan {
  readonly unpack: readonly DebianPackage[];
  /** Packages that the command names and that are installed in the wanted version. */
  readonly already: readonly string[];
  /** Packages that the command does not name. */
  readonly additional: readonly string[];
  readonly fresh: readonly string[];
  readonly upgraded: readonly string[];
  readonly downgraded: readonly string[];
}

export interface Refusal {
  readonly refusal: string;
}

/** Plans an installation. @param specs `name`, `name=version` or `name=version*` */
export function planInstall(node: SimNode, specs: readonly string[]): Plan | Refusal {
  const chosen = new Map<string, DebianPackage>();
  const already: string[] = [];
  for (const spec of specs) {
    const [name = '', asked] = spec.split('=');
    const offers = listOffered(node, name).map(({ found }) => found);
    const installed = installedVersion(node, name);
    if (offers.length === 0 && installed === undefined) return { refusal: `E: Unable to locate package ${name}` };
    const matching = asked === undefined ? offers : offers.filter(({ version }) => versionMatches(asked, version));
    if (
      asked !== undefined &&
      matching.length === 0 &&
      !(installed !== undefined && versionMatches(asked, installed))
    ) {
      return { refusal: `E: Version '${asked}' for '${name}' was not found` };
    }
    const [best] = matching;
    const keep =
      installed !== undefined &&
      (asked === undefined ? isNewest(installed, best) : best === undefined || best.version === installed);
    if (keep || best === undefined) already.push(name);
    else chosen.set(name, best);
  }
  const named = new Set(chosen.keys());
  const missing = addDependencies(node, chosen);
  if (missing !== undefined) return { refusal: missing };
  const all = [...chosen.values()];
  const before = ({ name }: DebianPackage) => installedVersion(node, name);
  const order = (found: DebianPackage) => compareVersions(found.version, before(found) ?? '0');
  return {
    unpack: all,
    already,
    additional: all.map(({ name }) => name).filter((name) => !named.has(name)),
    fresh: all.filter((found) => before(found) === undefined).map(({ name }) => name),
    upgraded: all.filter((found) => before(found) !== undefined && order(found) > 0).map(({ name }) => name),
    downgraded: all.filter((found) => before(found) !== undefined && order(found) < 0).map(({ name }) => name),
  };
}

function isNewest(installed: string, best: DebianPackage | undefined): boolean {
  return best === undefined || compareVersions(best.version, installed) <= 0;
}

/** Adds dependencies before the packages that need them. @returns apt's error message when one is not available */
function addDependencies(node: SimNode, chosen: Map<string, DebianPackage>): string | undefined {
  for (const { name, depends = [] } of chosen.values()) {
    for (const dependency of depends) {
      if (chosen.has(dependency) || installedVersion(node, dependency) !== undefined) continue;
      const [best] = listOffered(node, dependency);
      if (!best) {
        return `The following packages have unmet dependencies:\n ${name} : Depends: ${dependency} but it is not installable\nE: Unable to correct problems, you have held broken packages.`;
      }
      chosen.set(dependency, best.found);
    }
  }
  return undefined;
}

export function heldOf(node: SimNode, { unpack }: Plan): readonly string[] {
  return unpack.map(({ name }) => name).filter((name) => isHeld(node, name));
}
