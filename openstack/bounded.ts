import { z } from 'zod';

/** 500 servers with their ports, volumes and groups are about 3,000 resources. */
const MOST_ITEMS = 20_000;

/**
 * The schema of a list in an answer of OpenStack. It stops at the first item that does not fit: a schema that collects
 * an issue for each of 250,000 items takes seconds.
 */
export function listOf<T>(item: z.ZodType<T>, most = MOST_ITEMS): z.ZodType<T[], unknown> {
  return z
    .array(z.unknown())
    .max(most, { abort: true })
    .transform((items, context) => {
      const read: T[] = [];
      for (const [at, value] of items.entries()) {
        const found = item.safeParse(value);
        if (!found.success) return refuse(context, at, found.error);
        read.push(found.data);
      }
      return read;
    });
}

/** The schema of an object with any names in an answer of OpenStack. It stops as `listOf` does. */
export function recordOf<T>(item: z.ZodType<T>, most = MOST_ITEMS): z.ZodType<Record<string, T>, unknown> {
  return z.custom<Record<string, unknown>>(isObject).transform((record, context) => {
    const read: [string, T][] = [];
    for (const [name, value] of Object.entries(record)) {
      const found = item.safeParse(value);
      if (!found.success || read.length === most) return refuse(context, name, found.error);
      read.push([name, found.data]);
    }
    return Object.fromEntries(read);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(context: z.RefinementCtx, at: PropertyKey, error: z.ZodError | undefined): never {
  const [issue] = error?.issues ?? [];
  const message = issue?.message ?? 'there are too many of them';
  context.issues.push({ code: 'custom', message, path: [at, ...(issue?.path ?? [])], input: undefined });
  return z.NEVER;
}
