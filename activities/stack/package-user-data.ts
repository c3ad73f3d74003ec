import { changedStack, PackageUserData } from '../../domain/package-user-data.ts';
import { VnflowError } from '../../domain/problems.ts';
import { type Stack, type StackInput, stackTemplate } from '../../openstack/heat.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { nfvOf } from '../facts/instantiated-info.ts';
import { readOperation } from '../facts/operation-facts.ts';
import type { StackContext } from './stack-context.ts';
import { refOf } from './stack-progress.ts';

/** What user data of the package has made for the operation. Undefined when its user data is built in. */
async function findPackageUserData({ deps, input }: ActivityContext): Promise<PackageUserData | undefined> {
  const kept = await deps.secrets.get(secretName.packageUserData(input.vnfLcmOpOccId));
  return kept === undefined ? undefined : PackageUserData.parse(kept);
}

/** @throws VnflowError INTERNAL before the step `runUserData` has run */
export async function readPackageUserData(context: ActivityContext): Promise<PackageUserData> {
  const kept = await findPackageUserData(context);
  if (kept) return kept;
  throw new VnflowError('INTERNAL', { detail: `No user data was made for ${context.input.vnfLcmOpOccId}.` });
}

/** Adds to an update of the stack what user data of the package wants. A new stack has it from the start. */
export async function withPackageUserData(
  context: StackContext,
  stack: Stack,
  change: StackInput | undefined,
): Promise<StackInput | undefined> {
  const kept = await findPackageUserData(context);
  if (kept === undefined || (await readOperation(context)).operation === 'INSTANTIATE') return change;
  const { session, signal } = context;
  const template = await stackTemplate(session, refOf(stack), { signal });
  return { ...change, ...changedStack(kept, change ?? {}, { template, nfv: nfvOf(stack) }) };
}
