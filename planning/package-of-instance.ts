import { LRUCache } from 'lru-cache';
import { mayBelongToVnfd } from '../domain/vnfd/definition-files.ts';
import type { Flavour } from '../domain/vnfd/model.ts';
import { flavour, readVnfd, type Vnfd } from '../domain/vnfd.ts';
import type { VnfInstanceRow } from '../store/vnf-instances.ts';
import { listLargeFiles, readVnfPackageFiles } from '../store/vnf-packages.ts';
import type { PlanningDependencies } from './dependencies.ts';

export interface InstancePackage {
  readonly vnfd: Vnfd;
  /** Every file that vnflow kept, by path in the package. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths of the files that are in the archive of the package only. */
  readonly largeFiles: ReadonlySet<string>;
}

const MOST_PACKAGES = 16;
/** Packages that were read and parsed, by id. An onboarded package never changes, so an entry never expires. */
const packages = new LRUCache<string, InstancePackage>({ max: MOST_PACKAGES });

/** The package that an instance is made from, whether it may still be used for new instances or not. */
export async function packageOfInstance(
  { db }: Pick<PlanningDependencies, 'db'>,
  { packageId }: { readonly packageId: string },
): Promise<InstancePackage> {
  const known = packages.get(packageId);
  if (known) return known;
  const files = await readVnfPackageFiles(db, packageId);
  const largeFiles = new Set(await listLargeFiles(db, packageId));
  const fresh = { vnfd: readVnfd(vnfdTexts(files)), files, largeFiles };
  packages.set(packageId, fresh);
  return fresh;
}

/**
 * The flavour that an instance was instantiated with.
 * @throws VnflowError FLAVOUR_UNKNOWN when it is not instantiated
 */
export async function flavourOfInstance(
  deps: Pick<PlanningDependencies, 'db'>,
  instance: { readonly packageId: string } & Partial<Pick<VnfInstanceRow, 'instantiatedVnfInfo'>>,
): Promise<Flavour> {
  const { vnfd } = await packageOfInstance(deps, instance);
  return flavour(vnfd, String(instance.instantiatedVnfInfo?.['flavourId']));
}

/** The files that the VNFD of a package may consist of, as text. */
export function vnfdTexts(files: ReadonlyMap<string, Buffer>): Map<string, string> {
  const texts = [...files].filter(([path]) => mayBelongToVnfd(path));
  return new Map(texts.map(([path, content]) => [path, content.toString('utf8')]));
}

/** Files under a folder as text, by path. */
export function textsUnder(files: ReadonlyMap<string, Buffer>, prefix: string): Map<string, string> {
  const under = [...files].filter(([path]) => path.startsWith(prefix));
  return new Map(under.map(([path, content]) => [path, content.toString('utf8')]));
}
