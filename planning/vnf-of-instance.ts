import { type BaseHot, hotResources } from '../domain/standard-user-data.ts';
import { VNF_KINDS, vnfKindOf } from '../domain/vnf-kinds/index.ts';
import { keepMembers, refuseChanges } from '../domain/vnf-kinds/kept-members.ts';
import type { PackageContents, Vnf } from '../domain/vnf-kinds/vnf-kind.ts';
import type { Flavour } from '../domain/vnfd/model.ts';
import { secretName } from '../store/secrets.ts';
import type { PlanningDependencies } from './dependencies.ts';
import type { InstancePackage } from './package-of-instance.ts';

interface VnfSources {
  readonly vnfInstanceId: string;
  /** The flavour of the request, or the one that the instance was instantiated with. */
  readonly flavour: Flavour;
  readonly files: InstancePackage['files'];
  readonly largeFiles: InstancePackage['largeFiles'];
  /** The templates of the stack. Only parameters that name resources of them need them. */
  readonly templates: () => BaseHot;
  /** The additional parameters of the request. */
  readonly additionalParams: Readonly<Record<string, unknown>>;
}

/** The VNF that an instantiate request describes. @throws VnflowError BAD_REQUEST naming the member, VNFD_NOT_USABLE */
export function newVnf(sources: VnfSources): Vnf {
  const { flavour, additionalParams } = sources;
  const kind = vnfKindOf({ ...flavour, parameterKeys: Object.keys(additionalParams) });
  const given = kind.parameters && additionalParams[kind.parameters.key];
  return kind.readVnf(given, sources.files, contentsOf(sources));
}

/**
 * The VNF of an instance, for an operation after its instantiation. Clients of Tacker repeat the parameters of the kind
 * with each operation; without them those of the instantiation hold.
 * @throws VnflowError BAD_REQUEST naming the member, VNFD_NOT_USABLE
 */
export async function vnfOfInstance(deps: PlanningDependencies, sources: VnfSources): Promise<Vnf> {
  const { flavour, additionalParams, vnfInstanceId } = sources;
  const kept = await keptParameters(deps, vnfInstanceId);
  const parameterKeys = [...Object.keys(additionalParams), ...kept.keys()];
  const kind = vnfKindOf({ ...flavour, parameterKeys });
  const key = kind.parameters?.key ?? '';
  const own = additionalParams[key];
  const before = kept.get(key);
  if (own === undefined || !kind.parameters) return kind.readVnf(before, sources.files);
  refuseChanges(own, before, { names: kind.parameters.fixedMembers, at: `additionalParams.${key}` });
  // the request is checked as it is; what the instance keeps was checked when it was made
  const asked = kind.readVnf(own, sources.files, contentsOf(sources));
  return kind.readVnf(keepMembers(asked.kept?.parameters ?? own, before, kind.parameters), sources.files);
}

/** The parameters that an instance keeps, by their key in a request. */
async function keptParameters({ secrets }: PlanningDependencies, id: string): Promise<Map<string, unknown>> {
  const kept = new Map<string, unknown>();
  for (const { parameters } of VNF_KINDS) {
    if (!parameters) continue;
    const value = await secrets.get(secretName.kindParameters(id, parameters.keptAs));
    if (value !== undefined) kept.set(parameters.key, value);
  }
  return kept;
}

function contentsOf({ vnfInstanceId, flavour, files, largeFiles, templates }: VnfSources): PackageContents {
  return {
    vnfInstanceId,
    vdus: flavour.vdus.map(({ id }) => id),
    aspects: Object.fromEntries(flavour.aspects.map(({ id, vduDeltas }) => [id, Object.keys(vduDeltas)])),
    resources: (vduId) => hotResources(templates(), vduId),
    files,
    now: new Date(),
    largeFiles,
  };
}
