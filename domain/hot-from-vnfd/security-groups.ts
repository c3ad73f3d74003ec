import { z } from 'zod';
import type { Topology, TopologyPolicy } from '../vnfd/topology.ts';
import { readAs } from '../vnfd/tosca.ts';
import type { Fragment } from './fragment.ts';

const RULE = z.object({
  description: z.string().nullish(),
  direction: z.enum(['ingress', 'egress']).default('ingress'),
  ether_type: z.enum(['ipv4', 'ipv6']).default('ipv4'),
  protocol: z.string().default('tcp'),
  port_range_min: z.int().min(0).max(65_535).default(0),
  port_range_max: z.int().min(0).max(65_535).default(65_535),
});
const WITH_PORTS = ['tcp', 'udp', 'sctp', 'dccp'];
const ETHERTYPES = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/**
 * A security group for each connection point that SecurityGroupRule policies name, or whose virtual link they name. A
 * connection point without one has the default group of the project.
 */
export function translateSecurityGroupRules(topology: Topology): Fragment {
  const groups = topology.flavour.connectionPoints.flatMap(({ id }) => {
    const rules = rulesOf(id, topology);
    if (rules.length === 0) return [];
    const properties = { rules: rules.map((rule) => ruleProperties(rule, topology)) };
    return [[groupName(id), { type: 'OS::Neutron::SecurityGroup', properties }] as const];
  });
  return { top: Object.fromEntries(groups) };
}

/** The security group of a connection point in the top HOT, if it has one of its own. */
export function securityGroupOf(cpdId: string, topology: Topology): string | undefined {
  return rulesOf(cpdId, topology).length === 0 ? undefined : groupName(cpdId);
}

const groupName = (cpdId: string) => `${cpdId}_security_group`;

function rulesOf(cpdId: string, { policies, flavour }: Topology): TopologyPolicy[] {
  const link = flavour.connectionPoints.find(({ id }) => id === cpdId)?.virtualLinkId;
  return policies.filter(
    ({ type, targets }) =>
      type === 'tosca.policies.nfv.SecurityGroupRule' &&
      (targets.includes(cpdId) || (link !== undefined && targets.includes(link))),
  );
}

function ruleProperties({ name, properties }: TopologyPolicy, { path }: Topology): Record<string, unknown> {
  const rule = readAs(RULE, properties, `${path}, policy ${name}`);
  const { protocol, port_range_min: first, port_range_max: last } = rule;
  const isEveryPort = first <= 1 && last === 65_535;
  return {
    direction: rule.direction,
    ethertype: ETHERTYPES[rule.ether_type],
    protocol,
    // Neutron refuses port 0, and knows no ports for other protocols
    ...(WITH_PORTS.includes(protocol) && !isEveryPort
      ? { port_range_min: Math.max(1, first), port_range_max: last }
      : {}),
  };
}
