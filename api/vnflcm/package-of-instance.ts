import { VnflowError } from '../../domain/problems.ts';
import { mayBelongToVnfd } from '../../domain/vnfd/definition-files.ts';
import { readVnfd, type Vnfd } from '../../domain/vnfd.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import { findVnfPackage, readVnfPackageFiles } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';

export interface InstancePackage {
  readonly vnfd: Vnfd;
  /** Every file that vnflow kept, by path in the package. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** An onboarded package never changes, so what was read and parsed is kept, the newest few. */
const read = new Map<string, InstancePackage>();
const MOST_READ = 16;

/** What names an instance and its package; the instance need not be there yet. */
export type InstanceOfPackage = Pick<VnfInstanceRow, 'id' | 'tenant' | 'vnfdId' | 'packageId'>;

/** The package that an instance is made from. @throws VnflowError VNFD_NOT_USABLE when it has been disabled since */
export async function packageOfInstance({ db }: ApiContext, instance: InstanceOfPackage): Promise<InstancePackage> {
  const found = await findVnfPackage(db, instance.tenant, instance.packageId);
  if (found?.operationalState !== 'ENABLED') {
    throw new VnflowError('VNFD_NOT_USABLE', {
      detail: `VnfPackage of vnfdId ${instance.vnfdId} is not found or not operational: package ${instance.packageId} is ${found?.operationalState ?? 'gone'}.`,
    });
  }
  const known = read.get(instance.packageId);
  if (known) return known;
  const files = await readVnfPackageFiles(db, instance.packageId);
  const fresh = { vnfd: readVnfd(vnfdTexts(files)), files };
  const [oldest] = read.keys();
  if (read.size >= MOST_READ && oldest !== undefined) read.delete(oldest);
  read.set(instance.packageId, fresh);
  return fresh;
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
