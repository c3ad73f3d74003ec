import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { deletedInstances, type Evidence, type OperationFact, type Witnesses } from './evidence.ts';
import { LOCKED, type Violation } from './invariants.ts';

/** The violations of a round after everything had settled. The evidence is undefined when it could not be read. */
export interface Settled {
  readonly evidence: Evidence | undefined;
  readonly violations: readonly Violation[];
}

interface TakeDown {
  settle(): Promise<Settled>;
  readonly seed: number;
  /** Limit until everything must be deleted, milliseconds. */
  readonly limitMs?: number;
  readonly authUrl: string;
  /** The request of another instantiate. */
  requestOf(instance: string): object;
}

/** Limit for a DELETE that is refused because the answer of an instantiate was lost, and for 503 of a busy machine. */
const LIMIT_MS = 240_000;
const PAUSE_MS = 1_000;
/** One in this number of instances without an operation is instantiated once more before it is deleted. */
const AGAIN_OF = 4;

/**
 * Deletes all instances by the requests that their states allow: decisions in FAILED_TEMP, another instantiate,
 * terminate, DELETE. All of these must be accepted, and in the end nothing may be left.
 * @returns the violations
 */
export async function takeDown(
  witnesses: Witnesses,
  instances: readonly string[],
  options: TakeDown,
): Promise<readonly Violation[]> {
  const chance = createChance(options.seed + 1);
  const again = new Set(instances.filter(() => chance.between(1, AGAIN_OF) === 1));
  const retried = new Set<string>();
  const rolledBack = new Set(instances.filter(() => chance.between(1, 3) > 1));
  const end = Date.now() + (options.limitMs ?? LIMIT_MS);
  for (;;) {
    const { evidence, violations } = await options.settle();
    if (violations.length > 0 || !evidence) return violations;
    const gone = deletedInstances(evidence);
    const left = instances.filter((instance) => !gone.has(instance));
    if (left.length === 0) return [];
    if (Date.now() > end) return left.map((instance) => ({ invariant: LOCKED, instance, text: 'cannot be deleted' }));
    await delay(PAUSE_MS);
    await Promise.all(
      left.map(async (instance) => {
        const operations = operationsOf(evidence, instance);
        const wish = { rollBack: rolledBack.has(instance), again: again.delete(instance), retried };
        const stackLeft = evidence.cloud.stacks.has(`vnf-${instance}`);
        const deleteRefused = evidence.sent.findLast((one) => one.instance === instance)?.order === 'delete';
        const order = nextOrder(operations, { ...wish, stackLeft, deleteRefused });
        const operation = operations.at(-1)?.id ?? '';
        await ORDERS[order](witnesses, { instance, operation, stackLeft, request: () => options.requestOf(instance) });
      }),
    );
  }
}

type Next = 'instantiate' | 'retry' | 'terminate' | 'rollback' | 'fail' | 'remove';

interface Situation {
  readonly rollBack: boolean;
  readonly again: boolean;
  /** Operations that were retried here. */
  readonly retried: Set<string>;
  readonly stackLeft: boolean;
  readonly deleteRefused: boolean;
}

function operationsOf({ operations }: Evidence, instance: string): OperationFact[] {
  return operations.filter(({ vnfInstanceId }) => vnfInstanceId === instance);
}

function nextOrder(operations: readonly OperationFact[], situation: Situation): Next {
  const newest = operations.at(-1);
  const wasGivenUp = operations.some(({ operationState }) => operationState === 'FAILED');
  if (newest?.operationState === 'FAILED_TEMP') {
    if (newest.operation === 'INSTANTIATE') return situation.rollBack || wasGivenUp ? 'rollback' : 'fail';
    if (situation.retried.has(newest.id)) return 'fail';
    situation.retried.add(newest.id);
    return 'retry';
  }
  if (isInstantiated(operations)) return 'terminate';
  // the remains of a failed instantiate are removed by the rollback of another instantiate
  return situation.again || (situation.stackLeft && situation.deleteRefused) ? 'instantiate' : 'remove';
}

/** The last instantiate or terminate that completed decides. */
function isInstantiated(operations: readonly OperationFact[]): boolean {
  const decisive = operations.findLast(
    ({ operation, operationState }) =>
      operationState === 'COMPLETED' && (operation === 'INSTANTIATE' || operation === 'TERMINATE'),
  );
  return decisive?.operation === 'INSTANTIATE';
}

interface Order {
  readonly instance: string;
  readonly operation: string;
  /** True when DELETE may be refused. */
  readonly stackLeft: boolean;
  request(): object;
}

const ORDERS: Readonly<Record<Next, (witnesses: Witnesses, order: Order) => Promise<unknown>>> = {
  instantiate: async ({ vnfm, cloud }, { instance, request }) => {
    await cloud.breakStack(instance);
    await vnfm.instantiate(instance, request(), true);
  },
  terminate: ({ vnfm }, { instance }) => vnfm.terminate(instance),
  retry: ({ vnfm }, order) => vnfm.control('retry', order, true),
  rollback: ({ vnfm }, order) => vnfm.control('rollback', order, true),
  fail: ({ vnfm }, order) => vnfm.control('fail', order, true),
  remove: ({ vnfm }, { instance, stackLeft }) => vnfm.remove(instance, !stackLeft),
};
