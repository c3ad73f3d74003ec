import { z } from 'zod';
import { type Definitions, toscaText } from './tosca.ts';

const EQUAL = z.union([toscaText, z.object({ equal: toscaText }).transform(({ equal }) => equal)]);
const FILTER = z.array(z.record(z.string(), z.unknown()));

/**
 * The flavour that a definitions file describes: `substitution_mappings.properties.flavour_id`, or since TOSCA 1.3
 * `substitution_mappings.substitution_filter.properties` (`- flavour_id: { equal: simple }`).
 * @returns undefined when it describes none; also for `{ get_input: … }`, which the top file of a VNFD has
 */
export function flavourIdOf({ template }: Definitions): string | undefined {
  const mappings = template.topology_template?.substitution_mappings;
  const written = toscaText.safeParse(mappings?.properties?.['flavour_id']);
  if (written.success) return written.data;
  const filters = FILTER.safeParse(mappings?.substitution_filter?.properties);
  const constraint = filters.data?.map((filter) => filter['flavour_id']).find((one) => one !== undefined);
  return EQUAL.safeParse(Array.isArray(constraint) ? constraint[0] : constraint).data;
}
