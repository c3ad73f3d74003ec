import { VnflowError } from './problems.ts';
import { readFlavour } from './vnfd/flavour.ts';
import { type Definitions, invalid, readDefinitions, toscaText } from './vnfd/tosca.ts';

/** What a VNFM needs of a VNFD (SOL001), in SOL's terms. */
export interface Vnfd {
  readonly vnfdId: string;
  readonly provider: string;
  readonly productName: string;
  readonly softwareVersion: string;
  readonly vnfdVersion: string;
  readonly flavours: readonly Flavour[];
}

export interface Flavour {
  readonly id: string;
  readonly description: string;
  readonly vdus: readonly Vdu[];
  readonly storages: readonly Storage[];
  readonly connectionPoints: readonly ConnectionPoint[];
  readonly virtualLinks: readonly VirtualLink[];
  readonly defaultLevelId?: string;
  readonly levels: readonly Level[];
  readonly aspects: readonly Aspect[];
  readonly affinityRules: readonly AffinityRule[];
  readonly softwareImages: readonly SoftwareImage[];
}

export interface Vdu {
  readonly id: string;
  readonly name: string;
  /** `requested_additional_capability_name`: the Nova flavor. */
  readonly computeFlavour?: string;
  readonly softwareImage?: SoftwareImage;
  readonly storageIds: readonly string[];
}

export interface Storage {
  readonly id: string;
  readonly softwareImage?: SoftwareImage;
}

/** A VduCp. Without a `virtualLinkId` it is external: an extVirtualLink of the request connects it. */
export interface ConnectionPoint {
  readonly id: string;
  readonly vduId: string;
  readonly virtualLinkId?: string;
}

export interface VirtualLink {
  readonly id: string;
}

export interface Level {
  readonly id: string;
  /** Instances per VDU. */
  readonly vduCounts: Readonly<Record<string, number>>;
  /** Scale level per aspect. */
  readonly scaleLevels: Readonly<Record<string, number>>;
}

export interface Aspect {
  readonly id: string;
  readonly maxScaleLevel: number;
  /** Instances that one step adds, per VDU. */
  readonly vduDeltas: Readonly<Record<string, number>>;
}

export interface AffinityRule {
  readonly kind: 'AFFINITY' | 'ANTI_AFFINITY';
  /** For example `nfvi_node`. */
  readonly scope: string;
  readonly targets: readonly string[];
}

/** In VnfPkgInfo's shape. Sizes in bytes. */
export interface SoftwareImage {
  /** The VDU's or storage's id. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly provider?: string;
  readonly checksum?: { readonly algorithm: string; readonly hash: string };
  readonly containerFormat: string;
  readonly diskFormat: string;
  readonly minDisk: number;
  readonly minRam: number;
  readonly size: number;
  /** Path in the package, if it carries the image. */
  readonly imagePath?: string;
}

/** The ETSI types alone fill four files; more than this is an attack on the parser. */
const MAX_DEFINITIONS_FILES = 40;
const DEFINITIONS_FILE = /^Definitions\/[^/]+\.ya?ml$/;

/**
 * Reads the VNFD of a package, as Tacker does: every YAML in `Definitions/`, imports are not followed.
 * @param files path in the package → text; others than definitions are ignored
 * @throws VnflowError CSAR_INVALID naming file and place
 */
export function readVnfd(files: ReadonlyMap<string, string> | Readonly<Record<string, string>>): Vnfd {
  const entries = files instanceof Map ? [...files] : Object.entries(files);
  const definitionFiles = entries.filter(([path]) => DEFINITIONS_FILE.test(path)).sort();
  if (definitionFiles.length === 0) throw invalid('The package has no YAML file in Definitions/: put the VNFD there.');
  if (definitionFiles.length > MAX_DEFINITIONS_FILES) {
    throw invalid(`Definitions/ has ${definitionFiles.length} YAML files, more than ${MAX_DEFINITIONS_FILES}.`);
  }
  const definitions = definitionFiles.map(([path, yaml]) => readDefinitions(path, yaml));
  return { ...readIdentity(definitions), flavours: readFlavours(definitions) };
}

function readIdentity(definitions: readonly Definitions[]): Omit<Vnfd, 'flavours'> {
  const defaults = new Map(definitions.flatMap(({ template }) => Object.entries(template.node_types ?? {})));
  const candidates = definitions.flatMap(({ path, template }) =>
    Object.values(template.topology_template?.node_templates ?? {})
      .filter(({ properties }) => properties?.['descriptor_id'] !== undefined)
      .map((node) => ({ path, node })),
  );
  const [found] = candidates;
  if (found === undefined) {
    throw invalid(
      'No node template in Definitions/ has the property descriptor_id: the VNF node must name the vnfdId.',
    );
  }
  const property = (name: string): string => {
    const value = found.node.properties?.[name] ?? defaults.get(found.node.type)?.properties?.[name]?.default;
    const read = toscaText.safeParse(value);
    if (!read.success) throw invalid(`${found.path}: the VNF node needs the property ${name} as text.`);
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

function readFlavours(definitions: readonly Definitions[]): Flavour[] {
  const flavours = definitions.flatMap((file) => {
    const id = file.template.topology_template?.substitution_mappings?.properties?.flavour_id;
    return id === undefined ? [] : [readFlavour(file, id)];
  });
  if (flavours.length === 0) {
    throw invalid('No file in Definitions/ has substitution_mappings.properties.flavour_id: the VNFD needs a flavour.');
  }
  const twice = flavours.find(({ id }, index) => flavours.findIndex((other) => other.id === id) !== index);
  if (twice) throw invalid(`Two files in Definitions/ describe the flavour ${twice.id}.`);
  return flavours;
}

/** @throws VnflowError FLAVOUR_UNKNOWN naming the known ones */
export function flavour(vnfd: Vnfd, id: string): Flavour {
  const found = vnfd.flavours.find((one) => one.id === id);
  if (found) return found;
  const known = vnfd.flavours.map((one) => one.id).join(', ');
  throw new VnflowError('FLAVOUR_UNKNOWN', {
    detail: `flavourId: VNFD ${vnfd.vnfdId} has no flavour "${id}"; it has ${known}.`,
  });
}

/**
 * The instantiation level, the default one if none is named.
 * @throws VnflowError BAD_REQUEST naming the known ones
 */
export function level(of: Flavour, id: string | undefined = of.defaultLevelId): Level {
  const found = of.levels.find((one) => one.id === id);
  if (found) return found;
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
  const { vduCounts } = level(of, levelId);
  const count = Object.hasOwn(vduCounts, vduId) ? vduCounts[vduId] : undefined;
  if (count !== undefined) return count;
  const known = of.vdus.map((vdu) => vdu.id).join(', ');
  throw new VnflowError('BAD_REQUEST', { detail: `Flavour "${of.id}" has no VDU "${vduId}"; it has ${known}.` });
}

/** The ids of a flavour's VDUs, for a check of names in a request. */
export function vduIds(of: Flavour): string[] {
  return of.vdus.map(({ id }) => id);
}
