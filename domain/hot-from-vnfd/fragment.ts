import type { ExtVirtualLinkData } from '../sol-requests.ts';
import type { ExtManagedVirtualLink } from '../standard-user-data/ext-managed-links.ts';
import { createTemplateProblem, type HotResource } from '../standard-user-data/hot.ts';
import type { Topology } from '../vnfd/topology.ts';
import type { NodeTemplate } from '../vnfd/tosca.ts';

/** The members of a request on which the form of a generated template depends. */
export interface TemplateRequest {
  readonly extVirtualLinks?: readonly ExtVirtualLinkData[] | undefined;
  readonly extManagedVirtualLinks?: readonly ExtManagedVirtualLink[] | undefined;
}

/** What a template is generated from. */
export interface TemplateSources {
  readonly topology: Topology;
  readonly request: TemplateRequest;
}

/** The part of the templates that one node template or policy of the VNFD becomes. */
export interface Fragment {
  /** Resources of the top HOT, by name. */
  readonly top?: Readonly<Record<string, HotResource>>;
  /** Parts of the nested templates, by VDU. */
  readonly inVdu?: Readonly<Record<string, VduPart>>;
}

/** A part of the nested template of a VDU. Each server of the VDU has a stack of its own, made of it. */
export interface VduPart {
  readonly resources?: Readonly<Record<string, HotResource>>;
  /** What the top HOT gives to the nested template, by the name of the parameter. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Resources of the top HOT that must be there before a server. */
  readonly after?: readonly string[];
}

/** Translates a node template of one type. @throws VnflowError TEMPLATE_INVALID, CSAR_INVALID naming the node */
export type TranslateNode = (id: string, node: NodeTemplate, sources: TemplateSources) => Fragment;

/** @throws VnflowError TEMPLATE_INVALID when two parts have a resource of one name */
export function joinFragments(fragments: readonly Fragment[], path: string): Required<Fragment> {
  const parts = Map.groupBy(
    fragments.flatMap(({ inVdu = {} }) => Object.entries(inVdu)),
    ([vduId]) => vduId,
  );
  return {
    top: joinResources(
      fragments.map(({ top = {} }) => top),
      path,
    ),
    inVdu: Object.fromEntries(
      [...parts].map(([vduId, ofVdu]) => [
        vduId,
        {
          resources: joinResources(
            ofVdu.map(([, { resources = {} }]) => resources),
            path,
          ),
          values: Object.assign({}, ...ofVdu.map(([, { values }]) => values)) as Record<string, unknown>,
          after: [...new Set(ofVdu.flatMap(([, { after = [] }]) => after))],
        },
      ]),
    ),
  };
}

function joinResources(
  records: readonly Readonly<Record<string, HotResource>>[],
  path: string,
): Record<string, HotResource> {
  const joined = new Map<string, HotResource>();
  for (const [name, resource] of records.flatMap((record) => Object.entries(record))) {
    if (joined.has(name)) {
      throw createTemplateProblem(`${path}: two parts of the VNFD become a resource ${name}; give one another name.`);
    }
    joined.set(name, resource);
  }
  return Object.fromEntries(joined);
}
