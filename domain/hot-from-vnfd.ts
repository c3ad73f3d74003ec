import { joinFragments, type TemplateSources, type VduPart } from './hot-from-vnfd/fragment.ts';
import { translateNodes } from './hot-from-vnfd/node-types.ts';
import { translateSecurityGroupRules } from './hot-from-vnfd/security-groups.ts';
import { translateAffinityRules } from './hot-from-vnfd/server-groups.ts';
import { writeYaml } from './safe-yaml.ts';
import { type BaseHot, createTemplateProblem, type HotResource } from './standard-user-data/hot.ts';

const VERSION = '2016-10-14';

/**
 * Generates the Heat templates of a flavour whose package has none: a top HOT with one resource per VDU, and a nested
 * template per VDU with its server, ports and volumes. They have the form that StandardUserData counts, so that every
 * server is a stack of its own, and can be added, removed and healed alone.
 * @throws VnflowError TEMPLATE_INVALID or CSAR_INVALID naming the node template or policy
 */
export function generateHots(sources: TemplateSources): BaseHot {
  const { topology } = sources;
  if (topology.flavour.vdus.length === 0) {
    throw createTemplateProblem(
      `${topology.path}: flavour "${topology.flavour.id}" has no node template of type tosca.nodes.nfv.Vdu.Compute, so there is nothing to generate a template for. Put one into BaseHOT/${topology.flavour.id}/.`,
    );
  }
  const { top, inVdu } = joinFragments(
    [...translateNodes(sources), translateSecurityGroupRules(topology), translateAffinityRules(topology)],
    topology.path,
  );
  const vdus = Object.entries(inVdu).map(([vduId, part]) => [vduId, vduResource(vduId, part)] as const);
  const { id } = topology.flavour;
  return {
    topHot: {
      name: `the template generated from ${topology.path}`,
      text: writeYaml({
        heat_template_version: VERSION,
        description: `Flavour ${id}, generated from the VNFD`,
        parameters: { nfv: { type: 'json' } },
        resources: { ...Object.fromEntries(vdus), ...top },
      }),
    },
    files: Object.fromEntries(
      Object.entries(inVdu).map(([vduId, part]) => [fileName(vduId), nestedTemplate(vduId, part)]),
    ),
  };
}

const fileName = (vduId: string) => `${vduId}.yaml`;

function vduResource(vduId: string, { values = {}, after = [] }: VduPart): HotResource {
  return {
    type: fileName(vduId),
    ...(after.length === 0 ? {} : { depends_on: [...after] }),
    properties: { ...values },
  };
}

function nestedTemplate(vduId: string, { values = {}, resources = {} }: VduPart): string {
  return writeYaml({
    heat_template_version: VERSION,
    description: `One server of ${vduId}`,
    parameters: Object.fromEntries(Object.keys(values).map((name) => [name, { type: 'string' }])),
    resources,
  });
}
