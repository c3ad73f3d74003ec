const VIOLATIONS: Readonly<Record<string, 'unique' | 'reference'>> = { '23505': 'unique', '23503': 'reference' };

/** Which kind of constraint did a statement break? Both drivers carry Postgres' SQLSTATE. */
export function violatedConstraint(error: unknown): 'unique' | 'reference' | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return VIOLATIONS[code];
}
