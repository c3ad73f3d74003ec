import type { Flavour } from './model.ts';
import type { Definitions, NodeTemplate } from './tosca.ts';
import type { TypeHierarchy } from './type-hierarchy.ts';

/** A flavour with the node templates and policies that it was read from. */
export interface Topology {
  /** Path of the definitions file, for messages. */
  readonly path: string;
  readonly flavour: Flavour;
  readonly nodes: ReadonlyMap<string, NodeTemplate>;
  readonly policies: readonly TopologyPolicy[];
  /** The type of the node that stands for the VNF itself. */
  readonly vnfType: string | undefined;
  readonly types: TypeHierarchy;
}

export interface TopologyPolicy {
  readonly name: string;
  readonly type: string;
  /** Names of node templates: a group among the targets is replaced by its members. */
  readonly targets: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

export function topologyOf({ path, template }: Definitions, flavour: Flavour, types: TypeHierarchy): Topology {
  const { node_templates: nodes, policies, groups, substitution_mappings: mappings } = template.topology_template ?? {};
  const membersOf = (target: string): readonly string[] =>
    groups && Object.hasOwn(groups, target) ? (groups[target]?.members ?? []) : [target];
  return {
    path,
    flavour,
    nodes: new Map(Object.entries(nodes ?? {})),
    policies: (policies ?? [])
      .flatMap((named) => Object.entries(named))
      .map(([name, { type, targets, properties }]) => ({
        name,
        type,
        targets: [...new Set((targets ?? []).flatMap(membersOf))],
        properties: properties ?? {},
      })),
    vnfType: mappings?.node_type ?? undefined,
    types,
  };
}
