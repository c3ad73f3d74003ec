import { type PlanStep, readStep } from '../../../domain/operation/plan.ts';
import { type StepKind, stepFacts } from '../../../domain/steps/index.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  slot: 'masterNode[0]',
  slots: ['workerNode[0]', 'workerNode[1]'],
  text: 'b7',
  seconds: 10,
  flag: true,
};

/** For tests: a step of any kind, with all that a step of the kind must have. */
export function sampleStep(kind: StepKind, { id, after }: Pick<PlanStep, 'id' | 'after'>): PlanStep {
  const input = Object.entries(stepFacts(kind).input).map(([member, is]) => [member, VALUES[is]]);
  return readStep({ ...Object.fromEntries(input), id, kind, after });
}
