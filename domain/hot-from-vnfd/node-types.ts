import { createTemplateProblem } from '../standard-user-data/hot.ts';
import type { Topology } from '../vnfd/topology.ts';
import type { NodeTemplate } from '../vnfd/tosca.ts';
import { translateBlockStorage } from './block-storage.ts';
import { translateCompute } from './compute.ts';
import { translateConnectionPoint } from './connection-point.ts';
import type { Fragment, TemplateSources, TranslateNode } from './fragment.ts';
import { translateVirtualLink } from './virtual-link.ts';

/** The VNF itself is the stack. */
const translateVnf: TranslateNode = () => ({});

/** How a node template becomes resources, by TOSCA type. Types derived from these count, too. */
const TRANSLATORS: Readonly<Record<string, TranslateNode>> = {
  'tosca.nodes.nfv.VNF': translateVnf,
  'tosca.nodes.nfv.Vdu.Compute': translateCompute,
  'tosca.nodes.nfv.Vdu.VirtualBlockStorage': translateBlockStorage,
  'tosca.nodes.nfv.VduCp': translateConnectionPoint,
  'tosca.nodes.nfv.VnfVirtualLink': translateVirtualLink,
};

/** @throws VnflowError TEMPLATE_INVALID naming a node of another type, which would be left out of the stack silently */
export function translateNodes(sources: TemplateSources): Fragment[] {
  const { topology } = sources;
  return [...topology.nodes].map(([id, node]) => {
    mustBeUsableName(id, topology);
    return translatorOf(id, node, topology)(id, node, sources);
  });
}

function translatorOf(id: string, { type }: NodeTemplate, { path, types, vnfType }: Topology): TranslateNode {
  if (type === vnfType) return translateVnf;
  const found = Object.entries(TRANSLATORS).find(([base]) => types.isA(type, base));
  if (found) return found[1];
  const supported = Object.keys(TRANSLATORS).join(', ');
  throw createTemplateProblem(
    `${path}, node template ${id}: no Heat resource can be generated from its type ${type}; supported are ${supported}, and types of the package derived from them. Put a template into BaseHOT/ instead.`,
  );
}

/** Names become names of resources, parameters and files. */
function mustBeUsableName(id: string, { path }: Topology): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,100}$/.test(id)) return;
  throw createTemplateProblem(
    `${path}, node template ${JSON.stringify(id)}: Heat takes letters, digits, "_", "-" and "." for the name of a resource, 100 at most.`,
  );
}
