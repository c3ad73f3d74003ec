import { type FlavourDocuments, PackageUserData } from '../../domain/package-user-data.ts';
import { VnflowError } from '../../domain/problems.ts';
import { chosenUserData } from '../../domain/user-data.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import { nfvOf, otherParametersOf } from '../facts/instantiated-info.ts';
import { readScaleFacts } from '../facts/read-scale-facts.ts';
import { type CodeDocuments, readCodeDocuments } from '../package-code/code-documents.ts';
import { readFlavourDocuments, runCode } from '../package-code/run-code.ts';
import { readOwnStack } from '../stack/find-stack.ts';
import { withStack } from '../stack/stack-context.ts';
import type { StepContextOf } from '../step-context.ts';

/** Tacker's `USER_DATA_TIMEOUT`, in seconds. */
const TIME_LIMIT_SECONDS = 60;

/**
 * Runs user data of the package, and keeps its result sealed. A later attempt, and every step that changes the stack,
 * takes the kept result: a retry sends Heat what the first attempt sent.
 */
export async function runUserData(step: StepContextOf<'runUserData'>): Promise<undefined> {
  const { deps, input } = step;
  const key = secretName.packageUserData(input.vnfLcmOpOccId);
  if ((await deps.secrets.get(key)) !== undefined) return;
  const documents = await readCodeDocuments(step);
  const chosen = chosenUserData(additionalParamsOf(documents));
  if ('builtIn' in chosen) throw new VnflowError('INTERNAL', { detail: `${chosen.builtIn} is built in.` });
  const { operation, request, instance, grantRequest, grant } = documents;
  const flavours = await readFlavourDocuments(step);
  const { answer } = await runCode(
    step,
    {
      what: 'userData',
      file: chosen.file,
      class: chosen.className,
      method: operation.toLowerCase(),
      version1: await readVersion1(step, documents, flavours[documents.flavourId]),
      version2: { request, instance, grantRequest, grant },
    },
    { flavours, timeLimitSeconds: TIME_LIMIT_SECONDS },
  );
  const result = PackageUserData.safeParse(answer);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new VnflowError('PACKAGE_CODE_FAILED', {
      detail: `${chosen.file} of the VNF package failed: what ${chosen.className}.${operation.toLowerCase()} returned cannot be used: ${issue?.path.join('.')} ${issue?.message}.`,
    });
  }
  await writeAsAttempt(deps, ({ secrets }) => secrets.put(key, result.data, input.vnfLcmOpOccId));
}

function additionalParamsOf({ request }: CodeDocuments): Record<string, unknown> {
  return { ...(request['additionalParams'] as object | undefined) };
}

/** The arguments of version 1 of the contract (tacker-lcm §6.5). */
async function readVersion1(
  step: StepContextOf<'runUserData'>,
  documents: CodeDocuments,
  flavour: FlavourDocuments | undefined,
): Promise<object> {
  const { operation, request, instance, images } = documents;
  const { vnfd, baseHot } = flavour ?? { vnfd: {}, baseHot: {} };
  const common = { baseHot: { ...baseHot.files, heat_template: baseHot.template }, vnfd, request, images, instance };
  if (operation === 'INSTANTIATE') return common;
  const stack = await readOwnStack(await withStack(step));
  return {
    ...common,
    parameters: { ...otherParametersOf(stack), nfv: nfvOf(stack) },
    number: operation === 'SCALE' ? await readNumber(step) : undefined,
    vnfcs: operation === 'HEAL' ? healedVnfcs(documents) : undefined,
  };
}

/** The number of servers after a scale. */
async function readNumber(step: StepContextOf<'runUserData'>): Promise<number> {
  const { type, count, by } = await readScaleFacts(step);
  return type === 'SCALE_OUT' ? count + by : count - by;
}

/** The entries of vnfcResourceInfo that the grant request removes. */
function healedVnfcs({ grantRequest, instance }: CodeDocuments): unknown[] {
  const { removeResources = [] } = grantRequest as { removeResources?: { resource: { resourceId: string } }[] };
  const ids = removeResources.map(({ resource }) => resource.resourceId);
  const { vnfcResourceInfo = [] } = (instance['instantiatedVnfInfo'] ?? {}) as {
    vnfcResourceInfo?: { computeResource?: { resourceId?: string } }[];
  };
  return vnfcResourceInfo.filter(({ computeResource }) => ids.includes(computeResource?.resourceId ?? ''));
}
