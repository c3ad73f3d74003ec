import { z } from 'zod';
import type { SelectableResource } from '../query/selectors.ts';

/**
 * An element of a list with attribute selectors: what the selectors may leave out is optional. Inside a member they may
 * leave out anything, which the schema does not say.
 */
export function listItem(resource: z.ZodObject, { mandatory }: SelectableResource): z.ZodType {
  const always = new Set([...mandatory, '_links']);
  return z.strictObject(
    Object.fromEntries(
      Object.entries(resource.shape).map(([name, member]) => [
        name,
        always.has(name) ? member : (member as z.ZodType).optional(),
      ]),
    ),
  );
}
