const VIOLATIONS: Readonly<Record<string, 'unique' | 'reference'>> = { '23505': 'unique', '23503': 'reference' };

/** The kind of constraint that a statement violated, by Postgres' SQLSTATE, which the errors of both drivers carry. */
export function violatedConstraint(error: unknown): 'unique' | 'reference' | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return VIOLATIONS[code];
}
