import { z } from 'zod';

/** An empty variable counts as absent, because docker compose passes absent variables on as empty ones. */
export function optionalVariable<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
