import { VnflowError } from '../problems.ts';
import type { ExtVirtualLinkData } from '../sol-requests.ts';
import type { Flavour } from '../vnfd/model.ts';
import type { Hot } from './hot.ts';
import { createTemplateProblem } from './hot.ts';
import { getParamPath } from './indexed-vdus.ts';

/** The one parameter of the HOT: values that differ per deployment, by kind and name. */
export type Nfv = { [kind: string]: { [name: string]: { [key: string]: unknown } } };

export interface NfvSources {
  readonly flavour: Flavour;
  readonly extVirtualLinks: readonly ExtVirtualLinkData[];
  readonly grant: Grant;
}

/** What the NFVO decided. Where a member is absent, the VNFD's values apply. */
export interface Grant {
  /** Availability zone per instance, for example `masterNode-0`. */
  readonly zones?: Readonly<Record<string, string>>;
  /** Image id per VDU or storage. */
  readonly softwareImages?: Readonly<Record<string, string>>;
  /** Nova flavor id per VDU. */
  readonly flavours?: Readonly<Record<string, string>>;
  readonly nfv?: unknown;
}

/**
 * Which values the template asks for (tacker-lcm §6.2), filled from grant, request and VNFD. A value that none of them
 * gives is null.
 */
export function extractNfv(hot: Hot, sources: NfvSources): Nfv {
  const paths = nfvPaths(hot).map((path) => path.map(String));
  const kinds = Map.groupBy(paths, ([, kind = '']) => kind);
  return mapped(kinds, (kind, ofKind) =>
    mapped(
      Map.groupBy(ofKind, ([, , name = '']) => name),
      (name, ofName) =>
        mapped(
          Map.groupBy(ofName, ([, , , key = '']) => key),
          (key, ofKey) => nfvValue({ kind, name, key, below: ofKey.map((path) => path.slice(4)) }, sources),
        ),
    ),
  );
}

function mapped<V, R>(map: ReadonlyMap<string, V>, value: (key: string, of: V) => R): Record<string, R> {
  return Object.fromEntries([...map].map(([key, of]) => [key, value(key, of)]));
}

interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  /** The rest of the path after the key, for example `['0', 'ip_address']` after `fixed_ips`. */
  readonly below: readonly (readonly string[])[];
}

function nfvValue({ kind, name, key, below }: Wanted, sources: NfvSources): unknown {
  if (kind === 'VDU') return vduValue(name, key, sources);
  if (kind === 'CP' && key === 'network') return linkOf(baseName(name), sources)?.resourceId ?? null;
  if (kind === 'CP' && key === 'fixed_ips') return fixedIps(baseName(name), below, sources);
  return null;
}

/** Every `{get_param: [nfv, …]}` in the properties of the resources. */
function nfvPaths(hot: Hot): (string | number)[][] {
  const walk = (value: unknown): (string | number)[][] => {
    const path = getParamPath(value);
    if (path !== undefined) return path[0] === 'nfv' ? [path] : [];
    if (Array.isArray(value)) return value.flatMap(walk);
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(walk) : [];
  };
  return Object.values(hot.resources).flatMap(({ properties }) => walk(properties));
}

/** `masterNode_CP1-0` → `masterNode_CP1`. */
function baseName(name: string): string {
  return name.replace(/-\d+$/, '');
}

/** Packages for version 1 of the API call flavor and image `flavor` and `image`. */
function vduValue(name: string, key: string, { flavour, grant }: NfvSources): string | null {
  const base = baseName(name);
  const vdu = flavour.vdus.find(({ id }) => id === base);
  const node = vdu ?? flavour.storages.find(({ id }) => id === base);
  switch (key) {
    case 'computeFlavourId':
    case 'flavor':
      return grant.flavours?.[base] ?? vdu?.computeFlavour ?? null;
    case 'vcImageId':
    case 'image':
      return grant.softwareImages?.[base] ?? node?.softwareImage?.name ?? null;
    case 'locationConstraints':
      return grant.zones?.[name] ?? null;
    default:
      return null;
  }
}

function linkOf(cpdId: string, { extVirtualLinks }: NfvSources): ExtVirtualLinkData | undefined {
  return extVirtualLinks.find(({ extCps }) => extCps.some((cp) => cp.cpdId === cpdId));
}

/**
 * The N-th address of the request that has a fixed address or a subnet, for each N that the template asks for, from 0
 * on.
 */
function fixedIps(
  cpdId: string,
  asked: readonly (readonly string[])[],
  sources: NfvSources,
): Record<string, string | null>[] {
  const usable = (linkOf(cpdId, sources)?.extCps ?? [])
    .filter((cp) => cp.cpdId === cpdId)
    .flatMap(({ cpConfig }) => Object.values(cpConfig))
    .flatMap(({ cpProtocolData }) => cpProtocolData ?? [])
    .flatMap(({ ipOverEthernet }) => ipOverEthernet?.ipAddresses ?? [])
    .filter(({ fixedAddresses, subnetId }) => fixedAddresses !== undefined || subnetId !== undefined);
  const members = usable.map((_, index) => asked.filter(([n]) => n === String(index)).map(([, member]) => member));
  const end = members.findIndex((of) => of.length === 0);
  return usable.slice(0, end < 0 ? usable.length : end).map(({ fixedAddresses, subnetId }, index) => ({
    ...(members[index]?.includes('subnet') ? { subnet: subnetId ?? null } : {}),
    ...(members[index]?.includes('ip_address') ? { ip_address: fixedAddresses?.[0] ?? null } : {}),
  }));
}

/**
 * Refuses missing values before any stack is made. Heat takes null for "not given", and its message about that is hard
 * to understand.
 * @throws VnflowError BAD_REQUEST or TEMPLATE_INVALID naming what is missing and where to give it
 */
export function checkNfv(nfv: Nfv, hotName: string): void {
  for (const [name, { network }] of Object.entries(nfv['CP'] ?? {})) {
    if (network !== null) continue;
    const detail = `extVirtualLinks: no entry has the cpdId ${baseName(name)}, whose network ${hotName} needs.`;
    throw new VnflowError('BAD_REQUEST', { detail });
  }
  for (const [name, { computeFlavourId, vcImageId, flavor, image }] of Object.entries(nfv['VDU'] ?? {})) {
    if (computeFlavourId === null || flavor === null) {
      throw createTemplateProblem(
        `${hotName} needs the flavor of ${baseName(name)}: the VNFD gives it no requested_additional_capability_name.`,
      );
    }
    if (vcImageId === null || image === null) {
      throw createTemplateProblem(
        `${hotName} needs the image of ${baseName(name)}: the VNFD gives it no sw_image_data.`,
      );
    }
  }
}
