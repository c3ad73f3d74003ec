import { createTemplateProblem, type HotResource } from '../standard-user-data/hot.ts';
import type { Topology, TopologyPolicy } from '../vnfd/topology.ts';
import type { Fragment } from './fragment.ts';

/** The policy of Nova's server group, by type of the rule. */
const POLICIES: Readonly<Record<string, string>> = {
  'tosca.policies.nfv.AffinityRule': 'affinity',
  'tosca.policies.nfv.AntiAffinityRule': 'anti-affinity',
};
/** The scope of a rule that Nova can keep: compute hosts. */
const SCOPE = 'nfvi_node';

/**
 * A server group for each affinity and anti-affinity rule. It holds for all servers of the VDUs that the rule names.
 * @throws VnflowError TEMPLATE_INVALID for a rule that Nova cannot keep
 */
export function translateAffinityRules(topology: Topology): Fragment {
  const groups = rulesIn(topology).map(({ name, type, properties }): [string, HotResource] => {
    const { scope } = properties;
    if (scope !== SCOPE) {
      throw createTemplateProblem(
        `${topology.path}, policy ${name}: its scope is ${String(scope)}; a server group of Nova can keep ${SCOPE} only.`,
      );
    }
    return [groupName(name), { type: 'OS::Nova::ServerGroup', properties: { policies: [POLICIES[type] ?? ''] } }];
  });
  return { top: Object.fromEntries(groups) };
}

/**
 * The server group of a VDU in the top HOT, if a rule names the VDU.
 * @throws VnflowError TEMPLATE_INVALID for a VDU in several rules: Nova takes a server into one group only
 */
export function serverGroupOf(vduId: string, topology: Topology): string | undefined {
  const [rule, second] = rulesIn(topology).filter(({ targets }) => targets.includes(vduId));
  if (second !== undefined) {
    throw createTemplateProblem(
      `${topology.path}, policies ${rule?.name} and ${second.name}: both name ${vduId}; a server can be in one server group of Nova only.`,
    );
  }
  return rule && groupName(rule.name);
}

const groupName = (rule: string) => `${rule}_server_group`;

function rulesIn({ policies }: Topology): TopologyPolicy[] {
  return policies.filter(({ type }) => Object.hasOwn(POLICIES, type));
}
