import { VnflowError } from '../../domain/problems.ts';

/**
 * Checks that a query names attributes of the resource (SOL013 5.2, 5.3: others are 400). What is below the attributes
 * is not checked: the standard has members there that vnflow never sets.
 * @param parameter the query parameter, for the problem
 * @param paths names from the top, with `/` between them
 * @throws VnflowError BAD_REQUEST
 */
export function checkAttributes(parameter: string, paths: readonly string[], attributes: readonly string[]): void {
  const unknown = paths.find((path) => !attributes.includes(path.split('/')[0] ?? ''));
  if (unknown === undefined) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `${parameter}: ${unknown.slice(0, 100)} is no attribute of this resource.`,
  });
}
