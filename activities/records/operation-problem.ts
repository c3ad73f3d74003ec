import type { StepFailure } from '../../domain/operation/activity-contract.ts';
import type { OperationState } from '../../domain/operation/state.ts';
import { isProblemCode, type ProblemCode, type ProblemDetails, problemDetails } from '../../domain/problems.ts';
import { remedyIn } from '../../domain/remedy.ts';

interface Entering {
  readonly state: OperationState;
  readonly vnfLcmOpOccId: string;
}

/** What `VnfLcmOpOcc.error` says when an operation enters a state because of a failure. */
export function problemOf(
  entering: Entering & { readonly otherFailures: number },
  { code, detail, stepId, ...failure }: StepFailure,
): ProblemDetails {
  const { otherFailures } = entering;
  const more = otherFailures > 0 ? ` (and ${otherFailures} more failed steps)` : '';
  return {
    ...problemDetails(code, { ...failure, detail: `${detail}${more}` }),
    remedy: remedyOf(entering, code),
    ...(stepId === undefined ? {} : { stepId }),
  };
}

/** The error of an operation that ends stays, but what it tells to do is not refused any more. */
export function errorAtTheEnd<T extends Readonly<Record<string, unknown>> | null>(entering: Entering, error: T) {
  const code = error?.['code'];
  if (!error || typeof code !== 'string' || !isProblemCode(code)) return error;
  return { ...error, remedy: remedyOf(entering, code) };
}

function remedyOf({ state, vnfLcmOpOccId }: Entering, code: ProblemCode): string {
  return remedyIn(state, code).replaceAll('OP_OCC', vnfLcmOpOccId);
}
