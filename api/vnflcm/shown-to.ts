import { LRUCache } from 'lru-cache';
import { withKnownParameters } from '../../domain/known-parameters.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Vnfd } from '../../domain/vnfd.ts';
import { packageOfInstance } from '../../planning/package-of-instance.ts';
import { listPackagesOfInstances } from '../../store/vnf-instances.ts';
import { type Caller, mayWrite } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';

type Declared = Vnfd['declaredParameters'];

/** The caller of a request, as far as it decides what is shown. */
export interface Viewer {
  readonly seesAll: boolean;
  /** What the VNFD of an instance declares. Undefined when that is not known. */
  declaredFor(vnfInstanceId: string): Declared | undefined;
}

const MOST_PACKAGES = 1000;
/** What packages declare, by id. Much smaller than the packages, which are read once for it. They never change. */
const declaredBy = new LRUCache<string, Declared>({ max: MOST_PACKAGES });

/**
 * Finds out what a caller may see of some instances and their operations. Only for callers who may not write are packages
 * read.
 */
export async function viewerOf(
  { db }: Pick<ApiContext, 'db'>,
  caller: Pick<Caller, 'roles'>,
  vnfInstanceIds: readonly string[],
): Promise<Viewer> {
  if (mayWrite(caller)) return { seesAll: true, declaredFor: () => undefined };
  const packages = await listPackagesOfInstances(db, [...new Set(vnfInstanceIds)]);
  for (const packageId of new Set(packages.values())) {
    if (declaredBy.has(packageId)) continue;
    declaredBy.set(packageId, await readDeclared({ db }, packageId));
  }
  return { seesAll: false, declaredFor: (id) => declaredBy.get(packages.get(id) ?? '') };
}

const NOTHING: Declared = { additionalParams: {}, metadata: {}, extensions: {}, vnfConfigurableProperties: {} };

/** An older build may have taken a VNFD that this one refuses. Its instances are shown all the same. */
async function readDeclared(context: Pick<ApiContext, 'db'>, packageId: string): Promise<Declared> {
  try {
    return (await packageOfInstance(context, { packageId })).vnfd.declaredParameters;
  } catch (error) {
    if (error instanceof VnflowError && error.code === 'CSAR_INVALID') return NOTHING;
    throw error;
  }
}

/**
 * What a caller sees of an instance, or of the parameters or changes of an operation. A caller who may only read sees the
 * values that vnflow or the package knows: anything may stand in the others, and the members of the project who wrote them
 * see them.
 * @param members without secrets
 */
export function shownTo<T extends object>(viewer: Viewer, members: T, vnfInstanceId: string): T {
  return viewer.seesAll ? members : withKnownParameters(members, viewer.declaredFor(vnfInstanceId));
}

/** @returns the ids of the instances of operations */
export function instancesOf(rows: readonly { readonly vnfInstanceId: string }[]): string[] {
  return rows.map(({ vnfInstanceId }) => vnfInstanceId);
}
