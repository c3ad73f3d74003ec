import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { VNF_KINDS } from '../../domain/vnf-kinds/index.ts';
import { keepMembers } from '../../domain/vnf-kinds/kept-members.ts';
import type { KindParameters } from '../../domain/vnf-kinds/vnf-kind.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readVnf } from './plan-question.ts';

const Request = z.looseObject({ additionalParams: z.record(z.string(), z.unknown()).default({}) });

/** The parameters of the VNF of an operation, and the kind that they belong to. */
interface ParametersOfVnf {
  readonly kind: KindParameters;
  /** As the schema of the kind reads them. */
  readonly parameters: unknown;
}

/**
 * The parameters of the kind of VNF: those of the operation's own request, or else those of the instance. A request that
 * repeats the parameters without `proxy`, for example, keeps the proxy of the instantiation.
 * @throws VnflowError INTERNAL when neither has parameters (a defect of the planner)
 */
export async function readKindParameters(context: ActivityContext): Promise<ParametersOfVnf> {
  const { deps, input } = context;
  const request = Request.parse((await deps.secrets.get(secretName.operationParams(input.vnfLcmOpOccId))) ?? {});
  for (const { parameters: kind } of VNF_KINDS) {
    if (!kind) continue;
    const own = request.additionalParams[kind.key];
    const kept = await deps.secrets.get(secretName.kindParameters(input.vnfInstanceId, kind.keptAs));
    if (own === undefined && kept === undefined) continue;
    const parameters = own === undefined ? kept : keepMembers(await completeParameters(context, kind, own), kept, kind);
    return { kind, parameters: kind.schema.parse(parameters) };
  }
  throw new VnflowError('INTERNAL', {
    detail: `VNF instance ${input.vnfInstanceId} has no parameters that say how to log in to its servers.`,
  });
}

/** Only a request that names aspects needs the package, to find their VDUs. */
async function completeParameters(context: ActivityContext, { schema }: KindParameters, own: unknown) {
  return schema.safeParse(own).success ? own : (await readVnf(context)).kept?.parameters;
}
