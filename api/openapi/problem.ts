import { z } from 'zod';
import { PROBLEMS } from '../../domain/problems.ts';

/** RFC 9457, with a code of the catalogue (docs/errors.md) and what to do next. */
export const ProblemDetails = z
  .strictObject({
    status: z.int(),
    title: z.string(),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS)),
    remedy: z.string(),
    seen: z.string().optional(),
  })
  .meta({ id: 'ProblemDetails' });

/**
 * The problem of an operation or of a step, as it is kept. Rows of an older release may lack members, or have another
 * code.
 */
export const KeptProblem = z
  .looseObject({
    detail: z.string(),
    status: z.int().optional(),
    title: z.string().optional(),
    code: z.string().optional(),
    remedy: z.string().optional(),
    seen: z.string().optional(),
    stepId: z.string().optional(),
  })
  .meta({ id: 'OperationProblem' });

/** The problem in answers of /v1.0. */
export const TackerError = z
  .strictObject({ TackerError: z.strictObject({ type: z.string(), message: z.string(), detail: z.string() }) })
  .meta({ id: 'TackerError' });
