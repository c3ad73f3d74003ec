import { VnflowError } from '../../domain/problems.ts';
import type { Grant } from '../../domain/standard-user-data.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readFact } from './kept-facts.ts';

/** The grant of the operation. @throws VnflowError INTERNAL before `requestGrant` has run */
export async function readGrant(context: ActivityContext): Promise<Grant> {
  const grant = await readFact(context, 'grant');
  if (grant) return grant;
  throw new VnflowError('INTERNAL', { detail: `Operation ${context.input.vnfLcmOpOccId} has no grant.` });
}
