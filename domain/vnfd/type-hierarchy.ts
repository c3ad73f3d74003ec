import type { Definitions, NodeType } from './tosca.ts';

/** SOL001 has three levels; a longer chain is a circle. */
const MAX_LEVELS = 20;

/** The node types that the definitions of a package declare. */
export interface TypeHierarchy {
  /** Is it this type, or derived from it? */
  isA(type: string, base: string): boolean;
  /** The default value of a property, of the type or the nearest type above it; undefined when there is none. */
  defaultOf(type: string, property: string): unknown;
}

export function typeHierarchy(definitions: readonly Definitions[]): TypeHierarchy {
  const types = new Map(definitions.flatMap(({ template }) => Object.entries(template.node_types ?? {})));
  const chain = (type: string): string[] => {
    const names = [type];
    while (names.length < MAX_LEVELS) {
      const above = types.get(names.at(-1) ?? '')?.derived_from;
      if (above === undefined || above === null) break;
      names.push(above);
    }
    return names;
  };
  return {
    isA: (type, base) => chain(type).includes(base),
    defaultOf: (type, property) =>
      chain(type)
        .map((name) => defaultIn(types.get(name), property))
        .find((value) => value !== undefined),
  };
}

function defaultIn(type: NodeType | undefined, property: string): unknown {
  const properties = type?.properties ?? {};
  const declared = Object.hasOwn(properties, property) ? properties[property] : undefined;
  return typeof declared === 'object' && declared !== null && 'default' in declared ? declared.default : undefined;
}
