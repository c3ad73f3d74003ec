import { randomUUID } from 'node:crypto';
import type { OperationRef, RecordActivities } from '../../domain/operation/activity-contract.ts';
import type { Plan } from '../../domain/operation/plan.ts';
import { isFinal } from '../../domain/operation/state.ts';
import { LCM_OPERATIONS } from '../../domain/operations.ts';
import { VnflowError } from '../../domain/problems.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { resourceChanges } from '../../domain/resource-changes.ts';
import { slotsOf } from '../../domain/steps/index.ts';
import { makePlan } from '../../planning/make-plan.ts';
import { acceptLcmRequest } from '../../store/lcm-requests.ts';
import type { Database } from '../../store/open-store.ts';
import { findPlan, keepPlan } from '../../store/operation-plans.ts';
import { listSteps, recordStepEnded, recordStepStarted } from '../../store/operation-steps.ts';
import {
  type InstanceChange,
  readOperationFact,
  recordOperationState,
  type StateChange,
  type VnfLcmOpOccRow,
} from '../../store/operations.ts';
import { recordCancelPending, recordStepControl } from '../../store/operator-controls.ts';
import { secretName } from '../../store/secrets.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf, operationOf } from '../facts/operation-facts.ts';
import { planQuestionOf, vnfOfOperation } from '../facts/plan-question.ts';
import { requestOf } from '../facts/request-of.ts';
import { labelsOf } from '../node/node-labels.ts';
import { modification } from './modification.ts';
import { errorAtTheEnd, problemOf } from './operation-problem.ts';

/** Writes what an operation is and becomes into the store: the only writer. Each may run twice. */
export function createRecordActivities(
  deps: ActivityDependencies,
): Omit<RecordActivities, 'requestGrant' | 'surveyControlPlane' | 'adoptOperation'> {
  return {
    recordAccepted: ({ vnfLcmOpOccId }) => acceptLcmRequest(deps.db, vnfLcmOpOccId),

    makePlan: async ({ direction, ...ref }) => {
      const plan = (await findPlan(deps.db, ref.vnfLcmOpOccId, direction)) ?? (await keepNewPlan(deps, ref, direction));
      const named = [...new Set(plan.steps.flatMap(slotsOf))];
      return { ...plan, labels: await labelsOf(deps.db, ref.vnfInstanceId, named) };
    },

    recordState: async ({ state, failure, otherFailures = 0, by, seq, round, follow, ...ref }) => {
      const { vnfLcmOpOccId } = ref;
      const row = await operationOf(deps, ref);
      const { grantId, error } = row;
      const problem = failure && problemOf({ state, vnfLcmOpOccId, otherFailures }, failure);
      const shown = problem ?? (isFinal(state) && errorAtTheEnd({ state, vnfLcmOpOccId }, error));
      await recordOperationState(deps.db, vnfLcmOpOccId, {
        seq,
        state,
        round,
        ...(follow === undefined ? {} : { follow }),
        text: `${state}${problem ? `: ${problem.detail}` : ''}${by === undefined ? '' : ` by ${by}`}`,
        ...(shown ? { error: shown } : {}),
        ...(state === 'PROCESSING' && grantId === null && isGranted(row) ? { grantId: randomUUID() } : {}),
        ...(state === 'FAILED_TEMP'
          ? { begunSteps: failure?.code === 'OPERATION_CANCELLED' ? 'CANCELLED' : 'FAILED' }
          : {}),
        ...(state === 'FAILED' && (await leavesAStack(deps, row)) ? { also: await keptAccess(deps, ref) } : {}),
      });
      if (state === 'FAILED' || state === 'ROLLED_BACK') await deps.secrets.removeOwnedBy(vnfLcmOpOccId);
      return problem ? { remedy: problem.remedy } : {};
    },

    recordCancelPending: ({ vnfLcmOpOccId, ...cancel }) => recordCancelPending(deps.db, vnfLcmOpOccId, cancel),

    recordStepControl: ({ vnfInstanceId: _, vnfLcmOpOccId, ...action }) =>
      recordStepControl(deps.db, vnfLcmOpOccId, action),

    recordTimer: async ({ vnfInstanceId: _, state, ...timer }) => {
      if (state === 'RUNNING') await recordStepStarted(deps.db, timer);
      else await recordStepEnded(deps.db, { ...timer, outcome: { state } });
    },

    recordEnd: async ({ direction, seq, ...ref }) => {
      const operation = await operationOf(deps, ref);
      if (isFinal(operation.operationState)) {
        // an earlier run of this activity has recorded it, and perhaps died before it removed the secrets
      } else if (direction === 'rollback') {
        await recordOperationState(deps.db, ref.vnfLcmOpOccId, {
          seq,
          state: 'ROLLED_BACK',
          text: 'ROLLED_BACK',
          error: errorAtTheEnd({ state: 'ROLLED_BACK', vnfLcmOpOccId: ref.vnfLcmOpOccId }, operation.error),
        });
      } else {
        await recordOperationState(deps.db, ref.vnfLcmOpOccId, {
          seq,
          state: 'COMPLETED',
          text: `${operation.operation} completed`,
          error: null,
          ...(isGranted(operation) ? await completion(deps, operation) : await modification(deps, ref)),
        });
      }
      await deps.secrets.removeOwnedBy(ref.vnfLcmOpOccId);
    },
  };
}

/** A plan that is made a second time, after an answer that was lost, is the first one. */
async function keepNewPlan(deps: ActivityDependencies, ref: OperationRef, direction: Plan['direction']): Promise<Plan> {
  const planned = await makePlan(deps, await planQuestionOf(deps, ref));
  const plan = direction === 'rollback' ? planned.rollback : planned.plan;
  if (!plan) throw new VnflowError('INTERNAL', { detail: `Operation ${ref.vnfLcmOpOccId} cannot be undone.` });
  return keepPlan(deps.db, ref.vnfLcmOpOccId, plan);
}

/** Whether the NFVO is asked: an operation that does nothing to the servers needs no grant (SOL003 5.4.3.3.4). */
function isGranted({ operation }: VnfLcmOpOccRow): boolean {
  return LCM_OPERATIONS[operation].servers !== undefined;
}

/** What the end of an operation writes that changed the servers. */
async function completion(
  deps: ActivityDependencies,
  operation: VnfLcmOpOccRow,
): Promise<Pick<StateChange, 'instance' | 'resourceChanges' | 'also'>> {
  const ref = { vnfInstanceId: operation.vnfInstanceId, vnfLcmOpOccId: operation.id };
  const before = await instanceOf(deps, ref);
  const instance = await instanceChange(deps, operation);
  const changes = resourceChanges(before.instantiatedVnfInfo ?? undefined, instance.instantiatedVnfInfo);
  return {
    instance,
    ...(changes === undefined ? {} : { resourceChanges: changes }),
    ...(LCM_OPERATIONS[operation.operation].factsFrom === 'request' ? { also: await keptAccess(deps, ref) } : {}),
  };
}

/** How a completed operation changes its instance. */
async function instanceChange(deps: ActivityDependencies, operation: VnfLcmOpOccRow): Promise<InstanceChange> {
  const ref = { vnfInstanceId: operation.vnfInstanceId, vnfLcmOpOccId: operation.id };
  const { leaves, factsFrom } = LCM_OPERATIONS[operation.operation];
  if (leaves === 'NOT_INSTANTIATED') return terminated(await instanceOf(deps, ref));
  if (factsFrom === 'request') return instantiated(deps, operation);
  return { instantiatedVnfInfo: await discoveredInfo(deps, operation) };
}

async function instantiated(deps: ActivityDependencies, operation: VnfLcmOpOccRow): Promise<InstanceChange> {
  const ref = { vnfInstanceId: operation.vnfInstanceId, vnfLcmOpOccId: operation.id };
  const request = await requestOf(deps, ref, 'INSTANTIATE');
  return {
    instantiationState: 'INSTANTIATED',
    instantiatedVnfInfo: await discoveredInfo(deps, operation),
    vimConnectionInfo: withoutSecrets(request.vimConnectionInfo ?? {}),
    extensions: request.extensions,
    vnfConfigurableProperties: request.vnfConfigurableProperties,
  };
}

/** Whether an operation that failed may leave a stack that nothing else knows of. Its VIM is kept until the instance is deleted. */
async function leavesAStack(
  deps: ActivityDependencies,
  { id, operation, operationState }: VnfLcmOpOccRow,
): Promise<boolean> {
  if (LCM_OPERATIONS[operation].servers !== 'created' || isFinal(operationState)) return false;
  return (await listSteps(deps.db, id)).some(({ kind, attempt }) => kind === 'applyStack' && attempt > 0);
}

/** Later operations need the VIM and the parameters of the kind: they stay sealed with the instance. */
async function keptAccess(deps: ActivityDependencies, ref: OperationRef): Promise<(tx: Database) => Promise<void>> {
  const { vimConnectionInfo } = await requestOf(deps, ref, 'INSTANTIATE');
  const { kept } = await vnfOfOperation(deps, ref);
  const { vnfInstanceId: owner } = ref;
  return async (tx) => {
    const secrets = deps.secrets.within(tx);
    await secrets.put(secretName.vimConnectionInfo(owner), vimConnectionInfo, owner);
    if (kept) await secrets.put(secretName.kindParameters(owner, kept.as), kept.parameters, owner);
  };
}

/** What `discover` found. */
async function discoveredInfo(deps: ActivityDependencies, operation: VnfLcmOpOccRow): Promise<Record<string, unknown>> {
  return (await readOperationFact(deps.db, operation.id, 'instantiatedVnfInfo')) ?? {};
}

/** As Tacker leaves it: flavour and STOPPED stay, the VIM connection is gone. */
function terminated(instance: VnfInstanceRow): InstanceChange {
  return {
    instantiationState: 'NOT_INSTANTIATED',
    instantiatedVnfInfo: { flavourId: instance.instantiatedVnfInfo?.['flavourId'], vnfState: 'STOPPED' },
    vimConnectionInfo: {},
  };
}
