import type { Plan } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';

/** Key in additionalParams of a heal by which a client agrees that the registry loses its images. */
export const ACCEPT_CONTENT_LOSS = 'accept_content_loss';

/**
 * The images are on the disk of the server. A heal that replaces it begins only when the request agrees to lose them.
 * @throws VnflowError CONTENT_LOSS; BAD_REQUEST for a value that is neither true nor false
 */
export function checkContentLoss(
  { operation }: Pick<Plan, 'operation'>,
  additionalParams: Readonly<Record<string, unknown>>,
): void {
  if (operation !== 'HEAL') return;
  const accepted = additionalParams[ACCEPT_CONTENT_LOSS] ?? false;
  if (typeof accepted !== 'boolean') {
    throw new VnflowError('BAD_REQUEST', { detail: `additionalParams.${ACCEPT_CONTENT_LOSS}: must be true or false.` });
  }
  if (accepted) return;
  throw new VnflowError('CONTENT_LOSS', {
    detail:
      'Nothing was touched: the images of the registry are on the disk of its server, so a heal, which replaces the server, loses them all.',
  });
}
