import { acceptLcmRequest } from '../../store/lcm-requests.ts';
import type { RecordContext } from './record-context.ts';

/** Turns the request into an operation in STARTING. @returns false when the API has withdrawn the request */
export async function recordAccepted({ deps, input }: RecordContext<'recordAccepted'>): Promise<boolean> {
  return acceptLcmRequest(deps.db, input.vnfLcmOpOccId, deps.build);
}
