import { VnflowError } from './problems.ts';
import { type DeclaredParameters, declaredParameters } from './vnfd/declared-parameters.ts';
import { definitionFilesByPortions, readDefinitionFiles } from './vnfd/definition-files.ts';
import { readFlavour } from './vnfd/flavour.ts';
import { flavourIdOf } from './vnfd/flavour-id.ts';
import type { Flavour, Level } from './vnfd/model.ts';
import { type Topology, topologyOf } from './vnfd/topology.ts';
import { createVnfdProblem, type Definitions, type NodeTemplate, toscaText } from './vnfd/tosca.ts';
import { type TypeHierarchy, typeHierarchy } from './vnfd/type-hierarchy.ts';

/** The parts of a VNFD (SOL001) that a VNFM needs, with SOL's names. */
export interface Vnfd {
  readonly vnfdId: string;
  readonly provider: string;
  readonly productName: string;
  readonly softwareVersion: string;
  readonly vnfdVersion: string;
  readonly flavours: readonly Flavour[];
  /** The parameters of requests that the VNFD declares. */
  readonly declaredParameters: DeclaredParameters;
}

const VNF = 'tosca.nodes.nfv.VNF';

/**
 * Reads the VNFD of a package, of SOL001 2.6.1 or 3.3.1, as Tacker does.
 * @param files path in the package → text: all YAML files outside of BaseHOT/, and TOSCA.meta; others are ignored
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export function readVnfd(files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Vnfd {
  return vnfdOf(readDefinitionFiles(files instanceof Map ? files : new Map(Object.entries(files))));
}

/**
 * Reads as `readVnfd` does, and waits before each file, because parsing blocks the process.
 * @param rest resolves when the next file may be read
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export async function readVnfdByPortions(files: ReadonlyMap<string, string>, rest: () => Promise<void>): Promise<Vnfd> {
  const reading = definitionFilesByPortions(files);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return vnfdOf(value);
    await rest();
  }
}

function vnfdOf(definitions: readonly Definitions[]): Vnfd {
  const types = typeHierarchy(definitions);
  return {
    ...readIdentity(definitions, types),
    flavours: readFlavours(definitions, types),
    declaredParameters: declaredParameters(definitions),
  };
}

function readIdentity(
  definitions: readonly Definitions[],
  types: TypeHierarchy,
): Omit<Vnfd, 'flavours' | 'declaredParameters'> {
  const nodes = definitions.flatMap((file) =>
    Object.values(file.template.topology_template?.node_templates ?? {}).map((node) => ({ file, node })),
  );
  const found = nodes.find(({ node }) => node.properties?.['descriptor_id'] !== undefined);
  if (found === undefined) {
    throw createVnfdProblem(
      'No node template of the VNFD has the property descriptor_id: the VNF node must name the vnfdId.',
    );
  }
  const property = (name: string): string => {
    const read = toscaText.safeParse(propertyOf(found, name, types));
    if (!read.success) throw createVnfdProblem(`${found.file.path}: the VNF node needs the property ${name} as text.`);
    return read.data;
  };
  return {
    vnfdId: property('descriptor_id'),
    provider: property('provider'),
    productName: property('product_name'),
    softwareVersion: property('software_version'),
    vnfdVersion: property('descriptor_version'),
  };
}

/**
 * The value of a property: of the node itself, or the default of the input that the node names, or the default of its
 * type.
 */
function propertyOf(
  { file, node }: { readonly file: Definitions; readonly node: NodeTemplate },
  name: string,
  types: TypeHierarchy,
): unknown {
  const written = node.properties?.[name];
  if (typeof written !== 'object') return written ?? types.defaultOf(node.type, name);
  const input = written !== null && 'get_input' in written ? String(written.get_input) : '';
  const declared = file.template.topology_template?.inputs?.[input];
  const ofInput =
    typeof declared === 'object' && declared !== null && 'default' in declared ? declared.default : undefined;
  return ofInput ?? types.defaultOf(node.type, name);
}

/**
 * The file of the VNFD that describes each flavour, by the id of the flavour.
 * @param files as `readVnfd` takes them
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export function flavourPaths(files: ReadonlyMap<string, string>): Map<string, string> {
  const definitions = readDefinitionFiles(files);
  return new Map(flavourFiles(definitions, typeHierarchy(definitions)).map(({ id, file }) => [id, file.path]));
}

/**
 * Reads everything that a flavour of a VNFD is made of.
 * @param files as `readVnfd` takes them
 * @throws VnflowError FLAVOUR_UNKNOWN, CSAR_INVALID
 */
export function readTopology(files: ReadonlyMap<string, string>, flavourId: string): Topology {
  const definitions = readDefinitionFiles(files);
  const types = typeHierarchy(definitions);
  const found = flavourFiles(definitions, types).find(({ id }) => id === flavourId);
  if (found) return topologyOf(found.file, readFlavour(found.file, flavourId, types), types);
  throw new VnflowError('FLAVOUR_UNKNOWN', { detail: `flavourId: the VNFD has no flavour "${flavourId}".` });
}

function flavourFiles(definitions: readonly Definitions[], types: TypeHierarchy) {
  const named = definitions.flatMap((file) => {
    const id = flavourIdOf(file);
    return id === undefined ? [] : [{ file, id }];
  });
  return named.length > 0 ? named : flavoursOfVnfNodes(definitions, types);
}

function readFlavours(definitions: readonly Definitions[], types: TypeHierarchy): Flavour[] {
  const flavours = flavourFiles(definitions, types).map(({ file, id }) => readFlavour(file, id, types));
  if (flavours.length === 0) {
    throw createVnfdProblem(
      'No file of the VNFD has substitution_mappings.properties.flavour_id: the VNFD needs a flavour.',
    );
  }
  const twice = flavours.find(({ id }, index) => flavours.findIndex((other) => other.id === id) !== index);
  if (twice) throw createVnfdProblem(`Two files of the VNFD describe the flavour ${twice.id}.`);
  return flavours;
}

/** A VNFD in one file may name its flavour in the VNF node only. */
function flavoursOfVnfNodes(definitions: readonly Definitions[], types: TypeHierarchy) {
  return definitions.flatMap((file) =>
    Object.values(file.template.topology_template?.node_templates ?? {})
      .filter(({ type }) => types.isA(type, VNF))
      .flatMap(({ properties }) => {
        const id = toscaText.safeParse(properties?.['flavour_id']);
        return id.success ? [{ file, id: id.data }] : [];
      }),
  );
}

/** @throws VnflowError FLAVOUR_UNKNOWN naming the flavours of the VNFD */
export function flavour(vnfd: Vnfd, id: string): Flavour {
  const found = vnfd.flavours.find((one) => one.id === id);
  if (found) return found;
  const known = vnfd.flavours.map((one) => one.id).join(', ');
  throw new VnflowError('FLAVOUR_UNKNOWN', {
    detail: `flavourId: VNFD ${vnfd.vnfdId} has no flavour "${id}"; it has ${known}.`,
  });
}

/**
 * The instantiation level, the default one if none is named. A flavour without levels has one, which has no name.
 * @throws VnflowError BAD_REQUEST naming the levels of the flavour
 */
export function findLevel(of: Flavour, id: string | undefined = of.defaultLevelId): Level {
  const found = of.levels.find((one) => one.id === id);
  if (found) return found;
  if (id === undefined && of.levels.length === 0) return { id: '', vduCounts: of.initialCounts, scaleLevels: {} };
  const known = of.levels.map((one) => one.id).join(', ') || 'none';
  throw new VnflowError('BAD_REQUEST', {
    detail:
      id === undefined
        ? `Flavour "${of.id}" has no default instantiation level: name one as instantiationLevelId (${known}).`
        : `instantiationLevelId: flavour "${of.id}" has no level "${id}"; it has ${known}.`,
  });
}

/**
 * How many instances of a VDU a level has.
 * @throws VnflowError BAD_REQUEST for an unknown VDU or level
 */
export function vduCount(of: Flavour, vduId: string, levelId?: string): number {
  const { vduCounts: counts } = findLevel(of, levelId);
  const count = Object.hasOwn(counts, vduId) ? counts[vduId] : undefined;
  if (count !== undefined) return count;
  const known = of.vdus.map((vdu) => vdu.id).join(', ');
  throw new VnflowError('BAD_REQUEST', { detail: `Flavour "${of.id}" has no VDU "${vduId}"; it has ${known}.` });
}

/**
 * Servers per VDU in a new stack.
 * @throws VnflowError BAD_REQUEST for an unknown level
 */
export function vduCounts(of: Flavour, levelId?: string): Record<string, number> {
  return Object.fromEntries(of.vdus.map(({ id }) => [id, vduCount(of, id, levelId)]));
}

/**
 * The ids of a flavour's VDUs, for a check of names in a request.
 * @internal exported for tests
 */
export function vduIds(of: Flavour): string[] {
  return of.vdus.map(({ id }) => id);
}
