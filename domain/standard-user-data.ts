import { mergePatch } from './merge-patch.ts';
import { writeYaml } from './safe-yaml.ts';
import type { ExtVirtualLinkData } from './sol-requests.ts';
import { type ExtManagedVirtualLink, withExtManagedVirtualLinks } from './standard-user-data/ext-managed-links.ts';
import { type BaseHot, createTemplateProblem, type Hot, readHot } from './standard-user-data/hot.ts';
import { checkNestedFiles } from './standard-user-data/hot-resources.ts';
import { withIndexedVdus } from './standard-user-data/indexed-vdus.ts';
import { checkNfv, extractNfv, type Grant, type Nfv } from './standard-user-data/nfv.ts';
import type { Flavour } from './vnfd/model.ts';

export { type BaseHot, baseHot } from './standard-user-data/hot.ts';
export { dataVolumes, hotResources } from './standard-user-data/hot-resources.ts';
export type { Grant, Nfv } from './standard-user-data/nfv.ts';
export { separatedVdus } from './standard-user-data/separated-vdus.ts';

/**
 * Tacker's StandardUserData (tacker-lcm §6.2, §6.4), built in: each VDU of the top HOT becomes `{VDU}-0`, `{VDU}-1`, …,
 * so that every VNFC can be scaled, healed and changed alone. No script of a package is ever run.
 */
export interface UserDataInput extends BaseHot {
  readonly flavour: Flavour;
  /** Instances per VDU. */
  readonly counts: Readonly<Record<string, number>>;
  readonly request: {
    readonly extVirtualLinks?: readonly ExtVirtualLinkData[] | undefined;
    readonly extManagedVirtualLinks?: readonly ExtManagedVirtualLink[] | undefined;
    /** `nfv` is merged over what was found. */
    readonly additionalParams?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly grant?: Grant;
}

/** The content of a stack that Heat gets. */
export interface StackContent {
  /** The top HOT, as YAML. */
  readonly template: string;
  /** Nested templates by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** All parameters, complete: Heat replaces a json parameter as a whole. */
  readonly parameters: { readonly nfv: Nfv } & Readonly<Record<string, unknown>>;
}

/**
 * The stack of a new instance.
 * @throws VnflowError TEMPLATE_INVALID naming resource and file; BAD_REQUEST for a connection point without a network
 */
export function standardUserData(input: UserDataInput): StackContent {
  const top = readTopHot(input);
  checkNestedFiles(input, top);
  const ranges = input.flavour.vdus.map(({ id }) => ({ vduId: id, first: 0, end: input.counts[id] ?? 0 }));
  const indexed = withIndexedVdus(top, ranges, input.topHot.name);
  const hot = withExtManagedVirtualLinks(indexed, input.request.extManagedVirtualLinks ?? []);
  const nfv = filledNfv(hot, input);
  checkNfv(nfv, input.topHot.name);
  return { template: writeYaml(hot), files: input.files, parameters: { nfv } };
}

/** @throws VnflowError TEMPLATE_INVALID */
export function readTopHot({ topHot }: BaseHot): Hot {
  const hot = readHot(topHot);
  if (hot.parameters?.['nfv']?.type !== 'json') {
    throw createTemplateProblem(
      `${topHot.name}: it needs the parameter nfv of type json, as StandardUserData fills it.`,
    );
  }
  return hot;
}

/** The values for a template, with the request's and then the grant's own `nfv` merged over them. */
export function filledNfv(hot: Hot, { flavour, request, grant = {} }: UserDataInput): Nfv {
  const found = extractNfv(hot, { flavour, extVirtualLinks: request.extVirtualLinks ?? [], grant });
  const given = [request.additionalParams?.['nfv'], grant.nfv].filter((nfv) => nfv !== undefined && nfv !== null);
  return given.reduce<Nfv>((nfv, patch) => mergePatch(nfv, patch) as Nfv, found);
}
