import { isFinal } from '../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { resourceChanges } from '../../domain/resource-changes.ts';
import {
  type InstanceChange,
  recordOperationState,
  type StateChange,
  type VnfLcmOpOccRow,
} from '../../store/operations.ts';
import { forgetOlderLogs } from '../../store/step-logs.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readFact } from '../facts/kept-facts.ts';
import { isGranted, readInstance, readOperation } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';
import { readKeptAccess } from './kept-access.ts';
import { readModification } from './modification.ts';
import { errorAtTheEnd } from './operation-problem.ts';
import type { RecordContext } from './record-context.ts';
import { traceOperation } from './trace-operation.ts';

/** Logs of steps are kept for so many operations of an instance. */
const OPERATIONS_WITH_LOGS = 8;

type Context = RecordContext<'recordEnd'>;

/**
 * Writes COMPLETED or ROLLED_BACK into operation and instance, in one transaction, and removes the secrets of the
 * operation.
 */
export async function recordEnd(context: Context): Promise<void> {
  const { deps, input } = context;
  const row = await readOperation(context);
  // a final state: an earlier run of this activity has recorded it, and perhaps died before it removed the secrets
  if (!isFinal(row.operationState)) {
    if (input.direction === 'rollback') await recordRolledBack(context, row);
    else await recordCompleted(context, row);
    const { id: vnfLcmOpOccId, vnfInstanceId, operation } = row;
    const state = input.direction === 'rollback' ? 'ROLLED_BACK' : 'COMPLETED';
    deps.log.info({ vnfLcmOpOccId, vnfInstanceId, operation, state }, 'operation entered a state');
    await traceOperation(context);
  }
  await deps.secrets.removeOwnedBy(input.vnfLcmOpOccId);
  await forgetOlderLogs(deps.db, row.vnfInstanceId, OPERATIONS_WITH_LOGS);
}

async function recordRolledBack({ deps, input }: Context, { error }: VnfLcmOpOccRow): Promise<void> {
  const { vnfLcmOpOccId, seq } = input;
  const state = 'ROLLED_BACK';
  await recordOperationState(deps.db, vnfLcmOpOccId, {
    seq,
    state,
    text: state,
    error: errorAtTheEnd({ state, vnfLcmOpOccId }, error),
  });
}

async function recordCompleted(context: Context, row: VnfLcmOpOccRow): Promise<void> {
  const { deps, input } = context;
  await recordOperationState(deps.db, input.vnfLcmOpOccId, {
    seq: input.seq,
    state: 'COMPLETED',
    text: `${row.operation} completed`,
    error: null,
    ...(isGranted(row) ? await readCompletion(context, row) : await readModification(context)),
  });
}

/** Makes what the end of an operation writes that changed the servers. */
async function readCompletion(
  context: ActivityContext,
  { operation }: VnfLcmOpOccRow,
): Promise<Pick<StateChange, 'instance' | 'resourceChanges' | 'also'>> {
  const before = await readInstance(context);
  const { factsFrom, leaves } = LCM_OPERATIONS[operation];
  const instance = leaves === 'NOT_INSTANTIATED' ? terminated(before) : await readChange(context, factsFrom);
  const changes = resourceChanges(before.instantiatedVnfInfo ?? undefined, instance.instantiatedVnfInfo);
  return {
    instance,
    ...(changes === undefined ? {} : { resourceChanges: changes }),
    ...(factsFrom === 'request' ? { also: await readKeptAccess(context) } : {}),
  };
}

async function readChange(context: ActivityContext, factsFrom: string): Promise<InstanceChange> {
  if (factsFrom === 'request') return readInstantiated(context);
  return { instantiatedVnfInfo: await readDiscoveredInfo(context) };
}

/** How an instantiate changes its instance. */
async function readInstantiated(context: ActivityContext): Promise<InstanceChange> {
  const request = await readRequest(context, 'INSTANTIATE');
  return {
    instantiationState: 'INSTANTIATED',
    instantiatedVnfInfo: await readDiscoveredInfo(context),
    vimConnectionInfo: withoutSecrets(request.vimConnectionInfo ?? {}),
    extensions: withoutSecrets(request.extensions),
    vnfConfigurableProperties: withoutSecrets(request.vnfConfigurableProperties),
  };
}

/** `instantiatedVnfInfo` as `discover` has kept it. */
async function readDiscoveredInfo(context: ActivityContext): Promise<Record<string, unknown>> {
  return (await readFact(context, 'instantiatedVnfInfo')) ?? {};
}

/** How a terminate changes its instance. As in Tacker flavour and STOPPED stay, and the VIM connection is gone. */
function terminated(instance: VnfInstanceRow): InstanceChange {
  return {
    instantiationState: 'NOT_INSTANTIATED',
    instantiatedVnfInfo: { flavourId: instance.instantiatedVnfInfo?.['flavourId'], vnfState: 'STOPPED' },
    vimConnectionInfo: {},
  };
}
