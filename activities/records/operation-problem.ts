import type { OperationState } from '../../domain/operation/state.ts';
import type { StepFailure } from '../../domain/operation/step-failure.ts';
import { isProblemCode, type ProblemCode, type ProblemDetails, problemDetails } from '../../domain/problems.ts';
import { fillRemedy, remedyIn } from '../../domain/remedy.ts';

interface Entering {
  readonly state: OperationState;
  readonly vnfLcmOpOccId: string;
}

/** Makes `VnfLcmOpOcc.error` of the failure that leads an operation to another state. */
export function problemOf(
  entering: Entering & { readonly otherFailures: number },
  { code, detail, stepId, ...failure }: StepFailure,
): ProblemDetails {
  const { otherFailures } = entering;
  const more = otherFailures > 0 ? ` (and ${otherFailures} more failed steps)` : '';
  const listed = isProblemCode(code) ? code : 'INTERNAL';
  return {
    ...problemDetails(listed, { ...failure, detail: `${detail}${more}` }),
    remedy: remedyOf(entering, listed),
    ...(stepId === undefined ? {} : { stepId }),
  };
}

/** Changes the remedy of an error when its operation ends: retry and rollback are refused from then on. */
export function errorAtTheEnd<T extends Readonly<Record<string, unknown>> | null>(entering: Entering, error: T) {
  const code = error?.['code'];
  if (!error || typeof code !== 'string' || !isProblemCode(code)) return error;
  return { ...error, remedy: remedyOf(entering, code) };
}

function remedyOf({ state, vnfLcmOpOccId }: Entering, code: ProblemCode): string {
  return fillRemedy(remedyIn(state, code), { vnfLcmOpOccId });
}
