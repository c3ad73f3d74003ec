/** The text of a value for a jsonb column. Without it the driver would turn an array into a Postgres array. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** The text of an optional value for a jsonb column: undefined and null become NULL. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
