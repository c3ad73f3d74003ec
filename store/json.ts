/** Writes a value into a jsonb column; the driver would turn arrays into Postgres arrays otherwise. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** The same for an optional value: undefined and null are NULL. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
