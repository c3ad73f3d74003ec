import { VnflowError } from '../../domain/problems.ts';

/**
 * Reads a whole number from a query.
 * @param standard the value when the query does not have it
 * @throws VnflowError BAD_REQUEST
 */
export function readCount(query: URLSearchParams, name: string, standard: number, most: number): number {
  const text = query.get(name) ?? String(standard);
  const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= most) return count;
  throw new VnflowError('BAD_REQUEST', { detail: `${name}: must be a number from 0 to ${most}.` });
}
