import { foreignValue } from '../domain/foreign-text.ts';

/** What PostgreSQL refuses in jsonb, as `JSON.stringify` writes it: NUL, and halves of characters. */
const NOT_STORABLE = /\\u(?:0000|d[89a-f])/i;

/** The text of a value for a jsonb column. Without it the driver would turn an array into a Postgres array. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  return NOT_STORABLE.test(text) ? JSON.stringify(foreignValue(value)) : text;
}

/** The text of an optional value for a jsonb column: undefined and null become NULL. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : json(value);
}
