import { deletedInstances, type Evidence, type OperationFact } from './evidence.ts';
import { BEGINNINGS, type Control, isAccepted, isUnclear, type Order, type Sent } from './vnfm.ts';

export interface Finding {
  readonly instance: string;
  readonly text: string;
}

export interface Violation extends Finding {
  readonly invariant: string;
}

interface Invariant {
  readonly name: string;
  /** True when a violation cannot disappear with time, so that waiting is useless. */
  readonly isForGood: boolean;
  find(evidence: Evidence): Finding[];
}

const ENDED = new Set(['COMPLETED', 'FAILED', 'ROLLED_BACK']);
/**
 * States that may follow a state (SOL003 5.4). A second table on purpose, because the table of the engine is what is
 * judged.
 */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  STARTING: ['PROCESSING', 'ROLLED_BACK'],
  PROCESSING: ['COMPLETED', 'FAILED_TEMP'],
  FAILED_TEMP: ['PROCESSING', 'ROLLING_BACK', 'FAILED'],
  ROLLING_BACK: ['ROLLED_BACK', 'FAILED_TEMP'],
};

const entered = (wanted: string) => (operation: OperationFact) =>
  operation.states.filter((state) => state === wanted).length;

/** Counts how often a control has had its effect. */
const EFFECTS: Readonly<Record<Control, (operation: OperationFact) => number>> = {
  retry: (operation) => Math.max(0, entered('PROCESSING')(operation) - 1),
  rollback: entered('ROLLING_BACK'),
  fail: entered('FAILED'),
  cancel: ({ cancels }) => cancels,
};
const CONTROLS = Object.keys(EFFECTS) as Control[];

export const LOCKED = '3 no lock without an operation';

/** What must be true once everything has settled. The numbers are those of docs/development.md. */
const INVARIANTS: readonly Invariant[] = [
  { name: '1 accepted is kept', isForGood: false, find: findLost },
  { name: '1 comes to rest', isForGood: false, find: findRestless },
  { name: '2 store and Temporal agree', isForGood: false, find: findDisagreements },
  { name: LOCKED, isForGood: true, find: findRefusals },
  { name: '4 nothing left behind', isForGood: true, find: findLeftovers },
  { name: '5 no trace of what was never accepted', isForGood: false, find: findTraces },
  { name: '6 a control has its effect or none', isForGood: false, find: findWrongEffects },
  { name: '7 no 500', isForGood: true, find: findInternalErrors },
  { name: '8 states follow each other', isForGood: true, find: findWrongOrder },
  // the state and the timeline are read one after the other
  { name: '8 the timeline ends with the state', isForGood: false, find: findOtherEnds },
  { name: '9 once', isForGood: true, find: findDuplicates },
];

/** Checks all invariants. @returns the violations */
export function judge(evidence: Evidence): Violation[] {
  return INVARIANTS.flatMap(({ name, find }) => find(evidence).map((finding) => ({ invariant: name, ...finding })));
}

/** Can one of these violations still disappear with time? */
export function mayHeal(violations: readonly Violation[]): boolean {
  const healing = new Set(INVARIANTS.filter(({ isForGood }) => !isForGood).map(({ name }) => name));
  return violations.some(({ invariant }) => healing.has(invariant));
}

function findLost({ sent, operations }: Evidence): Finding[] {
  const known = new Set(operations.map(({ id }) => id));
  return accepted(sent, BEGINNINGS)
    .filter(({ operation = '' }) => !known.has(operation))
    .map(({ instance, order, operation }) => ({ instance, text: `${order} ${operation}: answered 202, not there` }));
}

function findRestless({ operations, workflows }: Evidence): Finding[] {
  return [...operations.flatMap(findUnrest), ...findWork(workflows)];
}

/**
 * A decision whose answer was lost may reach its workflow after Temporal is back. The store shows it when the first
 * activity after it has ended.
 */
function findWork(workflows: Evidence['workflows']): Finding[] {
  return [...workflows]
    .filter(([, { isOpen, isBusy }]) => isOpen && isBusy)
    .map(([instance, { operation, state }]) => ({ instance, text: `${operation} is ${state}, and works` }));
}

function findUnrest({ vnfInstanceId: instance, id, operationState, isCancelPending, error }: OperationFact): Finding[] {
  if (!ENDED.has(operationState) && operationState !== 'FAILED_TEMP')
    return [{ instance, text: `${id} stays in ${operationState}` }];
  if (isCancelPending) return [{ instance, text: `${id} is ${operationState} with a cancel pending` }];
  if (operationState === 'FAILED_TEMP' && !(error?.code && error.detail))
    return [{ instance, text: `${id} is in FAILED_TEMP without a cause` }];
  return [];
}

function findDisagreements(evidence: Evidence): Finding[] {
  return evidence.instances.flatMap((instance) => {
    const inStore = openOperation(evidence, instance);
    const workflow = evidence.workflows.get(instance);
    const inTemporal = workflow?.isOpen ? { id: workflow.operation, state: workflow.state } : undefined;
    if (inStore?.id === inTemporal?.id && inStore?.operationState === inTemporal?.state) return [];
    const store = inStore ? `${inStore.id} ${inStore.operationState}` : newest(evidence, instance);
    const temporal = inTemporal ? `${inTemporal.id} ${inTemporal.state}` : `no open workflow (${workflow?.state})`;
    return [{ instance, text: `store: ${store}; Temporal: ${temporal}` }];
  });
}

/**
 * Finds requests that were refused although the state allowed them. A 503 is no refusal, because the client repeats the
 * request. A DELETE may be refused as busy for a while when the answer of an instantiate was lost, because that request
 * may still be accepted. take-down.ts notices when DELETE is refused for ever.
 */
function findRefusals({ sent }: Evidence): Finding[] {
  const expected = sent.filter(({ mustSucceed }) => mustSucceed);
  const repeated = new Set(expected.filter(isUnclear).map(({ instance }) => instance));
  const doubtful = new Set(unclear(sent, BEGINNINGS).map(({ instance }) => instance));
  const isPatient = (one: Sent) => one.order === 'delete' && codeOf(one) === 'VNF_BUSY' && doubtful.has(one.instance);
  return expected
    .filter((one) => !isAccepted(one) && !repeated.has(one.instance) && !isPatient(one))
    .map((one) => ({ instance: one.instance, text: `${one.order} was to be accepted: ${outcomeText(one)}` }));
}

function findLeftovers(evidence: Evidence): Finding[] {
  return [...deletedInstances(evidence)].flatMap((instance) =>
    [...evidence.cloud.stacks]
      .filter(([name]) => name === `vnf-${instance}`)
      .map(([name, status]) => ({ instance, text: `answered 204, but stack ${name} is ${status}` })),
  );
}

function findTraces(evidence: Evidence): Finding[] {
  const { store, operations, instances } = evidence;
  if (!store) return [];
  const shown = new Set(operations.map(({ id }) => id));
  const gone = deletedInstances(evidence);
  const kept = new Set(store.operations.map(({ id }) => id));
  return [
    ...store.requests.map(({ operation, instance }) => ({ instance, text: `request ${operation} waits for ever` })),
    ...store.operations
      .filter(({ id, instance }) => instances.includes(instance) && !shown.has(id))
      .map(({ id, instance, state }) => ({ instance, text: `row of ${id} (${state}) is not shown by the API` })),
    ...store.secrets.flatMap(({ name, owner }) => {
      const [, operation] = /^operation\/([^/]+)\//.exec(name) ?? [];
      if (operation !== undefined && !kept.has(operation))
        return [{ instance: '', text: `${name}: no such operation` }];
      return gone.has(owner) ? [{ instance: owner, text: `${name} outlives its instance` }] : [];
    }),
  ];
}

function findWrongEffects(evidence: Evidence): Finding[] {
  return evidence.operations.flatMap((operation) => {
    const { id, vnfInstanceId: instance } = operation;
    const sent = evidence.sent.filter((one) => one.operation === id);
    const counted = CONTROLS.flatMap((control) => {
      const times = EFFECTS[control](operation);
      const least = accepted(sent, [control]).length;
      const most = least + unclear(sent, [control]).length;
      if (times >= least && times <= most) return [];
      return [{ instance, text: `${id}: ${control} happened ${times} times, accepted: ${least} to ${most}` }];
    });
    return [...counted, ...wrongCancel(operation, sent)];
  });
}

function wrongCancel({ id, vnfInstanceId: instance, states, error }: OperationFact, sent: readonly Sent[]): Finding[] {
  const wasCancelled = accepted(sent, ['cancel']).length > 0;
  const wasRetried = sent.some(({ order, outcome }) => order === 'retry' && outcome.kind === 'answered');
  const stopped = states.includes('FAILED_TEMP') || states.includes('ROLLED_BACK');
  if (wasCancelled && !stopped && !wasRetried)
    return [{ instance, text: `${id}: cancel was accepted, ${states.join(' ')}` }];
  const mayBe = wasCancelled || unclear(sent, ['cancel']).length > 0;
  if (!mayBe && error?.code === 'OPERATION_CANCELLED')
    return [{ instance, text: `${id}: cancelled, and no cancel was accepted` }];
  return [];
}

function findInternalErrors({ sent }: Evidence): Finding[] {
  return sent
    .filter(({ outcome }) => outcome.kind === 'answered' && (outcome.status === 500 || outcome.code === 'INTERNAL'))
    .map((one) => ({ instance: one.instance, text: `${one.order}: ${outcomeText(one)}` }));
}

function findWrongOrder({ operations }: Evidence): Finding[] {
  return operations.flatMap(({ id, vnfInstanceId: instance, states }) => {
    const steps = states.slice(1).map((state, index) => ({ from: states[index] ?? '', to: state }));
    const wrong = steps.filter(({ from, to }) => !(FOLLOWS[from] ?? []).includes(to));
    return [
      ...(states[0] === 'STARTING' ? [] : [{ instance, text: `${id} began with ${states[0]}` }]),
      ...wrong.map(({ from, to }) => ({ instance, text: `${id}: ${to} after ${from}` })),
    ];
  });
}

function findOtherEnds({ operations }: Evidence): Finding[] {
  return operations
    .filter(({ states, operationState }) => states.at(-1) !== operationState)
    .map(({ id, vnfInstanceId: instance, states, operationState }) => ({
      instance,
      text: `${id} is ${operationState}, timeline ends with ${states.at(-1)}`,
    }));
}

/** A request makes one operation at most, and an instance has one open operation at most. */
function findDuplicates(evidence: Evidence): Finding[] {
  return evidence.instances.flatMap((instance) => {
    const sent = evidence.sent.filter((one) => one.instance === instance);
    const most = [...accepted(sent, BEGINNINGS), ...unclear(sent, BEGINNINGS)].length;
    const made = evidence.operations.filter(({ vnfInstanceId }) => vnfInstanceId === instance);
    const open = made.filter(({ operationState }) => !ENDED.has(operationState));
    return [
      ...(made.length > most ? [{ instance, text: `${made.length} operations of ${most} requests` }] : []),
      ...(open.length > 1 ? [{ instance, text: `open at once: ${open.map(({ id }) => id).join(', ')}` }] : []),
    ];
  });
}

function openOperation({ operations }: Evidence, instance: string): OperationFact | undefined {
  return operations.find((one) => one.vnfInstanceId === instance && !ENDED.has(one.operationState));
}

function newest({ operations }: Evidence, instance: string): string {
  const last = operations.findLast(({ vnfInstanceId }) => vnfInstanceId === instance);
  return last ? `none is open (${last.id} ${last.operationState})` : 'none';
}

const accepted = (sent: readonly Sent[], orders: readonly Order[]): Sent[] =>
  sent.filter((one) => orders.includes(one.order) && isAccepted(one));

const unclear = (sent: readonly Sent[], orders: readonly Order[]): Sent[] =>
  sent.filter((one) => orders.includes(one.order) && isUnclear(one));

const codeOf = ({ outcome }: Sent): string => (outcome.kind === 'answered' ? outcome.code : '');

function outcomeText({ outcome }: Sent): string {
  return outcome.kind === 'lost' ? `no answer (${outcome.text})` : `${outcome.status} ${outcome.code} ${outcome.text}`;
}
