import { z } from 'zod';
import { driverNames, lcmHooksOf } from './management-drivers.ts';
import type { AffinityRule, Aspect, ConnectionPoint, Flavour, Level, Storage, Vdu, VirtualLink } from './model.ts';
import { readSoftwareImage, softwareImagesOf } from './software-image.ts';
import { createVnfdProblem, type Definitions, type NodeTemplate, type Policy, readAs, requirements } from './tosca.ts';
import type { TypeHierarchy } from './type-hierarchy.ts';

const COUNT = z.object({ number_of_instances: z.int().min(0) });
const INSTANTIATION_LEVELS = z.object({
  levels: z.record(
    z.string(),
    z.object({ scale_info: z.record(z.string(), z.object({ scale_level: z.int().min(0) })).nullish() }).nullish(),
  ),
  default_level: z.string().nullish(),
});
const VDU_LEVELS = z.object({ levels: z.record(z.string(), COUNT) });
const ASPECTS = z.object({
  aspects: z.record(
    z.string(),
    z.object({ max_scale_level: z.int().min(0), step_deltas: z.array(z.string()).nullish() }),
  ),
});
const ASPECT_DELTAS = z.object({ aspect: z.string(), deltas: z.record(z.string(), COUNT) });
const COMPUTE = z.object({
  virtual_compute: z
    .object({
      properties: z
        .object({
          requested_additional_capabilities: z
            .object({ properties: z.object({ requested_additional_capability_name: z.string().nullish() }).nullish() })
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** One deployment flavour: the definitions file whose substitution_mappings name it. */
export function readFlavour({ path, template }: Definitions, id: string, types: TypeHierarchy): Flavour {
  const nodes = Object.entries(template.topology_template?.node_templates ?? {});
  const ofType = (type: string) => nodes.filter(([, node]) => types.isA(node.type, type));
  const policies = (template.topology_template?.policies ?? []).flatMap((policy) => Object.entries(policy));
  const context: FlavourFile = { path, nodes: new Map(nodes), policies, types };
  const storages = ofType('tosca.nodes.nfv.Vdu.VirtualBlockStorage').map(([name, node]): Storage => {
    const image = readSoftwareImage(name, node, path);
    return { id: name, ...(image === undefined ? {} : { softwareImage: image }) };
  });
  const vdus = ofType('tosca.nodes.nfv.Vdu.Compute').map((entry) => readVdu(entry, context));
  const levels = readLevels(context, vdus);
  const hooks = lcmHooksOf(
    nodes.map(([, node]) => node),
    path,
  );
  return {
    id,
    description: descriptionOf(nodes),
    vdus,
    storages,
    connectionPoints: ofType('tosca.nodes.nfv.VduCp').map((entry) => readConnectionPoint(entry, context)),
    virtualLinks: ofType('tosca.nodes.nfv.VnfVirtualLink').map(([name]): VirtualLink => ({ id: name })),
    ...levels,
    aspects: readAspects(context),
    affinityRules: readAffinityRules(context),
    softwareImages: softwareImagesOf(vdus, storages),
    managementDrivers: [...new Set(hooks.flatMap(driverNames))],
    hooks,
  };
}

interface FlavourFile {
  readonly path: string;
  readonly nodes: ReadonlyMap<string, NodeTemplate>;
  readonly policies: readonly (readonly [name: string, policy: Policy])[];
  readonly types: TypeHierarchy;
}

function descriptionOf(nodes: readonly (readonly [string, NodeTemplate])[]): string {
  const [found] = nodes.flatMap(([, node]) => {
    const description = node.properties?.['flavour_description'];
    return typeof description === 'string' ? [description] : [];
  });
  return found ?? '';
}

function readVdu([id, node]: readonly [string, NodeTemplate], { path, nodes }: FlavourFile): Vdu {
  const where = `${path}, node template ${id}`;
  const storages = requirements(node, 'virtual_storage', where);
  for (const storage of storages) {
    if (!nodes.has(storage))
      throw createVnfdProblem(`${where}: its virtual_storage ${storage} is not a node template there.`);
  }
  const name = node.properties?.['name'];
  const compute = node.capabilities ? readAs(COMPUTE, node.capabilities, `${where}, capabilities`) : undefined;
  const flavourName =
    compute?.virtual_compute?.properties?.requested_additional_capabilities?.properties
      ?.requested_additional_capability_name;
  const image = readSoftwareImage(id, node, path);
  return {
    id,
    name: typeof name === 'string' ? name : id,
    storageIds: storages,
    ...(flavourName ? { computeFlavour: flavourName } : {}),
    ...(image === undefined ? {} : { softwareImage: image }),
  };
}

function readConnectionPoint([id, node]: readonly [string, NodeTemplate], file: FlavourFile): ConnectionPoint {
  const where = `${file.path}, node template ${id}`;
  const [vduId] = requirements(node, 'virtual_binding', where);
  if (vduId === undefined) throw createVnfdProblem(`${where}: a VduCp needs the requirement virtual_binding.`);
  if (!file.types.isA(file.nodes.get(vduId)?.type ?? '', 'tosca.nodes.nfv.Vdu.Compute')) {
    throw createVnfdProblem(
      `${where}: its virtual_binding ${vduId} is not a tosca.nodes.nfv.Vdu.Compute of this file.`,
    );
  }
  const [virtualLinkId] = requirements(node, 'virtual_link', where);
  return { id, vduId, ...(virtualLinkId === undefined ? {} : { virtualLinkId }) };
}

function policiesOf<T>(file: FlavourFile, type: string, schema: z.ZodType<T>) {
  return file.policies
    .filter(([, policy]) => policy.type === `tosca.policies.nfv.${type}`)
    .map(([name, policy]) => ({
      where: `${file.path}, policy ${name}`,
      targets: policy.targets ?? [],
      properties: readAs(schema, policy.properties ?? {}, `${file.path}, policy ${name}`),
    }));
}

function readLevels(
  file: FlavourFile,
  vdus: readonly Vdu[],
): Pick<Flavour, 'levels' | 'initialCounts' | 'defaultLevelId'> {
  const [instantiation] = policiesOf(file, 'InstantiationLevels', INSTANTIATION_LEVELS);
  const perVdu = policiesOf(file, 'VduInstantiationLevels', VDU_LEVELS);
  const known = instantiation?.properties.levels ?? {};
  const defaultLevelId = instantiation?.properties.default_level ?? undefined;
  if (defaultLevelId !== undefined && !Object.hasOwn(known, defaultLevelId)) {
    throw createVnfdProblem(`${instantiation?.where}: default_level ${defaultLevelId} is not one of its levels.`);
  }
  for (const { where, targets, properties } of perVdu) {
    const unknownLevel = Object.keys(properties.levels).find((id) => !Object.hasOwn(known, id));
    if (unknownLevel !== undefined)
      throw createVnfdProblem(`${where}: the level ${unknownLevel} is not in InstantiationLevels.`);
    const unknownVdu = targets.find((id) => !vdus.some((vdu) => vdu.id === id));
    if (unknownVdu !== undefined)
      throw createVnfdProblem(`${where}: its target ${unknownVdu} is not a Vdu.Compute of this file.`);
  }
  const initial = initialCounts(file, vdus);
  if (Object.keys(known).length === 0) return { levels: [], initialCounts: initial };
  const levels = Object.entries(known).map(
    ([id, level]): Level => ({
      id,
      vduCounts: Object.fromEntries(
        vdus.map((vdu) => {
          const own = perVdu.find(({ targets }) => targets.includes(vdu.id));
          return [vdu.id, own ? (own.properties.levels[id]?.number_of_instances ?? 0) : (initial[vdu.id] ?? 0)];
        }),
      ),
      scaleLevels: Object.fromEntries(
        Object.entries(level?.scale_info ?? {}).map(([aspectId, { scale_level }]) => [aspectId, scale_level]),
      ),
    }),
  );
  return { levels, initialCounts: initial, ...(defaultLevelId === undefined ? {} : { defaultLevelId }) };
}

const INITIAL_DELTA = z.object({ initial_delta: COUNT });
const PROFILE = z.object({ vdu_profile: z.object({ min_number_of_instances: z.int().min(0) }) });

/** Instances of each VDU where no level says it: VduInitialDelta, or the least number of the profile, or one. */
function initialCounts(file: FlavourFile, vdus: readonly Vdu[]): Record<string, number> {
  const deltas = policiesOf(file, 'VduInitialDelta', INITIAL_DELTA);
  return Object.fromEntries(
    vdus.map(({ id }) => {
      const delta = deltas.find(({ targets }) => targets.includes(id))?.properties.initial_delta.number_of_instances;
      const profile = PROFILE.safeParse(file.nodes.get(id)?.properties).data?.vdu_profile.min_number_of_instances;
      return [id, delta ?? profile ?? 1];
    }),
  );
}

/**
 * Deltas that the aspect does not have are left out, as Tacker onboards such packages: the aspect then scales fewer
 * VDUs, or none.
 */
function readAspects(file: FlavourFile): Aspect[] {
  const deltas = policiesOf(file, 'VduScalingAspectDeltas', ASPECT_DELTAS);
  return policiesOf(file, 'ScalingAspects', ASPECTS).flatMap(({ properties }) =>
    Object.entries(properties.aspects).map(([id, { max_scale_level, step_deltas }]): Aspect => {
      const delta = step_deltas?.[0];
      const vduDeltas = deltas
        .filter(({ properties: { aspect } }) => aspect === id)
        .flatMap(({ targets, properties: { deltas: known } }) => {
          const count = delta === undefined ? undefined : known[delta]?.number_of_instances;
          return count === undefined ? [] : targets.map((vduId) => [vduId, count] as const);
        });
      return { id, maxScaleLevel: max_scale_level, vduDeltas: Object.fromEntries(vduDeltas) };
    }),
  );
}

function readAffinityRules(file: FlavourFile): AffinityRule[] {
  const scope = z.object({ scope: z.string() });
  const rules = (type: 'AffinityRule' | 'AntiAffinityRule') =>
    policiesOf(file, type, scope).map(
      ({ targets, properties }): AffinityRule => ({
        kind: type === 'AffinityRule' ? 'AFFINITY' : 'ANTI_AFFINITY',
        scope: properties.scope,
        targets,
      }),
    );
  return [...rules('AffinityRule'), ...rules('AntiAffinityRule')];
}
