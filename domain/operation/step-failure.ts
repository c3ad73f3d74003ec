/** Why a step or an operation failed, for operators. */
export interface StepFailure {
  /** Undefined when the operation itself failed, not a step. */
  readonly stepId?: string;
  /** A code of the catalogue (domain/problems.ts). The catalogue itself is not replayed code. */
  readonly code: string;
  readonly detail: string;
  readonly seen?: string;
}
