import { z } from 'zod';
import { computeNeeds } from '../domain/hot-from-vnfd/compute-needs.ts';
import type { TemplateRequest } from '../domain/hot-from-vnfd/fragment.ts';
import { generateHots } from '../domain/hot-from-vnfd.ts';
import { VnflowError } from '../domain/problems.ts';
import { type BaseHot, baseHot } from '../domain/standard-user-data.ts';
import type { Flavour } from '../domain/vnfd/model.ts';
import { readTopology } from '../domain/vnfd.ts';
import { secretName } from '../store/secrets.ts';
import type { PlanningDependencies } from './dependencies.ts';
import { packageOfInstance, textsUnder, vnfdTexts } from './package-of-instance.ts';

type PackageFiles = ReadonlyMap<string, Buffer>;

/** The templates of an instance. */
export interface Templates extends BaseHot {
  /** Whether vnflow made them from the VNFD, because the package has none. */
  readonly isGenerated: boolean;
}

/**
 * Are templates of this package generated? A package with templates for other flavours only has forgotten one: nothing
 * is generated for it.
 */
export function hasGeneratedTemplates(files: PackageFiles): boolean {
  return ![...files.keys()].some((path) => /^BaseHOT\/.+\.ya?ml$/.test(path));
}

/**
 * The templates of a new instance: those of the package, or generated ones.
 * @throws VnflowError TEMPLATE_INVALID, CSAR_INVALID naming file and node
 */
export function newTemplates(files: PackageFiles, { id }: Flavour, request: TemplateRequest): Templates {
  if (!hasGeneratedTemplates(files)) return packagedTemplates(files, id);
  return { ...generateHots({ topology: readTopology(vnfdTexts(files), id), request }), isGenerated: true };
}

function packagedTemplates(files: PackageFiles, flavourId: string): Templates {
  return { ...baseHot(textsUnder(files, 'BaseHOT/'), flavourId), isGenerated: false };
}

/** What the servers of a flavour need that name no Nova flavor, by VDU. */
export function neededCompute(files: PackageFiles, { id }: Flavour): ReturnType<typeof computeNeeds> {
  return computeNeeds(readTopology(vnfdTexts(files), id));
}

/** Generated templates as an instance keeps them. */
const KeptTemplates = z.object({
  /** The operation that made the stack. */
  vnfLcmOpOccId: z.string(),
  topHot: z.object({ name: z.string(), text: z.string() }),
  files: z.record(z.string(), z.string()),
});
export type KeptTemplates = z.infer<typeof KeptTemplates>;

/**
 * The generated templates that an instance keeps. They are sealed: boot data of a VNFD may have passwords.
 * @returns undefined when its stack is made of templates of the package, or there was none yet
 */
export async function findKeptTemplates(
  { secrets }: Pick<PlanningDependencies, 'secrets'>,
  vnfInstanceId: string,
): Promise<KeptTemplates | undefined> {
  const kept = await secrets.get(secretName.generatedTemplates(vnfInstanceId));
  return kept === undefined ? undefined : KeptTemplates.parse(kept);
}

/**
 * The templates that the stack of an instance is made of. Generated ones are those that the instance keeps: a release
 * of vnflow that generates others does not change a stack that is there.
 * @throws VnflowError TEMPLATE_INVALID; INTERNAL when nothing was kept
 */
export async function templatesOfInstance(
  deps: Pick<PlanningDependencies, 'db' | 'secrets'>,
  instance: { readonly id: string; readonly packageId: string },
  { id: flavourId }: Flavour,
): Promise<Templates> {
  const { files } = await packageOfInstance(deps, instance);
  if (!hasGeneratedTemplates(files)) return packagedTemplates(files, flavourId);
  const kept = await findKeptTemplates(deps, instance.id);
  if (kept) return { topHot: kept.topHot, files: kept.files, isGenerated: true };
  throw new VnflowError('INTERNAL', { detail: `VnfInstance ${instance.id} has lost the templates of its stack.` });
}
