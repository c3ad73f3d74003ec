import { z } from 'zod';
import { criticalPath, type Plan, type PlanStep } from '../../domain/plan.ts';
import { planInstantiate } from '../../domain/planner/instantiate.ts';
import { planTerminate } from '../../domain/planner/terminate.ts';
import { InstantiateVnfRequest, ScaleVnfRequest, TerminateVnfRequest } from '../../domain/sol-requests.ts';
import { stepSummary } from '../../domain/step-kind.ts';
import { expectedDurations } from '../../store/step-durations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { parseMember } from '../http/json-body.ts';
import { present } from '../http/present.ts';
import { checkIdle, checkInstantiationState } from '../vnflcm/lcm-operation.ts';
import { prepareInstantiate } from '../vnflcm/prepare-instantiate.ts';
import { prepareScale } from '../vnflcm/prepare-scale.ts';
import { type CommandFacts, stepCommands } from './step-commands.ts';

/** The instance keeps its script's path sealed with its nodes' logins; for people the word will do. */
const SCRIPT = 'script_path';

export const PlanRequest = z.object({ operation: z.enum(['INSTANTIATE', 'TERMINATE', 'SCALE']), request: z.unknown() });
export type PlanRequest = z.infer<typeof PlanRequest>;

/** What an operation would do: the same checks and the same planner as the operation, and nothing is stored. */
export async function planAnswer(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, request }: PlanRequest,
): Promise<Record<string, unknown>> {
  const { plan, scriptPath } = await planOf(context, instance, { operation, request });
  const secondsOf = await expectedDurations(context.db);
  const expected = (step: PlanStep) => step.seconds ?? secondsOf(step.kind);
  const critical = criticalPath(plan, expected);
  const facts: CommandFacts = { vnfInstanceId: instance.id, scriptPath };
  return {
    operation,
    steps: plan.steps.map((step) => ({
      ...present({
        id: step.id,
        kind: step.kind,
        summary: stepSummary(step.kind, step.slots?.join(', ') ?? step.slot),
        slot: step.slot,
      }),
      after: step.after,
      commands: stepCommands(step.kind, facts),
      expectedSeconds: expected(step),
    })),
    criticalPathSeconds: critical.seconds,
    criticalPath: critical.steps.map(({ id }) => id),
    expectedSeconds: critical.seconds,
  };
}

async function planOf(
  context: ApiContext,
  instance: VnfInstanceRow,
  { operation, request }: PlanRequest,
): Promise<{ plan: Plan; scriptPath?: string }> {
  switch (operation) {
    case 'INSTANTIATE': {
      const body = parseMember(InstantiateVnfRequest, request, ['request']);
      const { shape, scriptPath } = await prepareInstantiate(context, instance, body);
      return { plan: planInstantiate(shape), scriptPath };
    }
    case 'SCALE': {
      const body = parseMember(ScaleVnfRequest, request, ['request']);
      const { plan } = await prepareScale(context, instance, body);
      return { plan, scriptPath: SCRIPT };
    }
    case 'TERMINATE': {
      const body = parseMember(TerminateVnfRequest, request, ['request']);
      await checkIdle(context, instance.id);
      checkInstantiationState(instance, 'INSTANTIATED');
      return { plan: planTerminate(body) };
    }
    default:
      return operation satisfies never;
  }
}
