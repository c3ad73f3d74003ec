import { expect, it } from 'vitest';
import type { Evidence, OperationFact } from './evidence.ts';
import { judge, mayHeal } from './invariants.ts';
import type { Order, Outcome, Sent } from './vnfm.ts';

const instance = 'i1';
const yes: Outcome = { kind: 'answered', status: 202, code: '', text: '' };
const no: Outcome = { kind: 'answered', status: 409, code: 'OPERATION_STATE', text: 'not now' };
const busy: Outcome = { kind: 'answered', status: 409, code: 'VNF_BUSY', text: 'in progress' };
const away: Outcome = { kind: 'answered', status: 503, code: 'ENGINE_UNAVAILABLE', text: '' };
const lost: Outcome = { kind: 'lost', text: 'ECONNRESET' };

const sent = (order: Order, outcome: Outcome = yes, mustSucceed = false): Sent => ({
  at: '',
  order,
  instance,
  operation: 'o1',
  mustSucceed,
  outcome,
});
const operation = (...states: string[]): OperationFact => ({
  id: 'o1',
  vnfInstanceId: instance,
  operation: 'INSTANTIATE',
  operationState: states.at(-1) ?? '',
  isCancelPending: false,
  error: { code: 'STACK_CREATE_FAILED', detail: 'No valid host was found.' },
  states,
  cancels: 0,
});
const waits = operation('STARTING', 'PROCESSING', 'FAILED_TEMP');
const failed = operation('STARTING', 'PROCESSING', 'FAILED_TEMP', 'FAILED');
const open = (state: string) => new Map([[instance, { isOpen: true, isBusy: false, operation: 'o1', state }]]);
const store = (facts: Partial<NonNullable<Evidence['store']>>) => ({
  store: { operations: [{ id: 'o1', instance, state: 'FAILED_TEMP' }], requests: [], secrets: [], ...facts },
});

/** An instantiate that failed and waits, with equal answers of all witnesses. */
const fine: Evidence = {
  instances: [instance],
  sent: [sent('instantiate')],
  operations: [waits],
  workflows: open('FAILED_TEMP'),
  cloud: { stacks: new Map([['vnf-i1', 'CREATE_FAILED']]) },
  ...store({ secrets: [{ name: 'operation/o1/params', owner: 'o1' }] }),
};
const ended: Partial<Evidence> = { operations: [failed], workflows: new Map() };

const WELL: readonly (readonly [string, Partial<Evidence>])[] = [
  ['waits in FAILED_TEMP', {}],
  ['a control was lost and had no effect', { sent: [...fine.sent, sent('retry', lost)] }],
  ['a control was lost and had its effect', { ...ended, sent: [...fine.sent, sent('fail', away)] }],
  [
    'an instantiate was lost and had no effect',
    { ...ended, operations: [], sent: [sent('instantiate', away)], ...store({ operations: [] }) },
  ],
  [
    'deleted with its stack',
    { ...ended, sent: [...fine.sent, sent('fail'), sent('delete')], cloud: { stacks: new Map() } },
  ],
];

it.each(WELL)('finds no violation: %s', (_, change) => {
  expect(judge({ ...fine, ...change })).toEqual([]);
});

const WRONG: readonly (readonly [string, string, Partial<Evidence>])[] = [
  ['1', 'an operation that was answered 202 is not there', { operations: [], workflows: new Map() }],
  ['1', 'stays in STARTING', { operations: [operation('STARTING')], workflows: open('STARTING') }],
  ['1', 'waits without a cause', { operations: [{ ...waits, error: undefined }] }],
  ['1', 'a cancel is pending for ever', { operations: [{ ...waits, isCancelPending: true }] }],
  ['2', 'the workflow is gone', { workflows: new Map() }],
  [
    '2',
    'the store has FAILED, the workflow waits',
    { ...ended, workflows: open('FAILED_TEMP'), sent: [...fine.sent, sent('fail')] },
  ],
  ['2', 'the workflow is in another state', { workflows: open('PROCESSING') }],
  [
    '2',
    "the workflow is another operation's",
    { workflows: new Map([[instance, { isOpen: true, operation: 'o2', state: 'FAILED_TEMP' }]]) },
  ],
  ['3', 'a control that the state allows is refused', { sent: [...fine.sent, sent('rollback', no, true)] }],
  [
    '3',
    'a DELETE says busy, and nothing was lost',
    { ...ended, sent: [...fine.sent, sent('fail'), sent('delete', busy, true)] },
  ],
  ['4', 'DELETE left the stack', { ...ended, sent: [...fine.sent, sent('fail'), sent('delete')] }],
  ['5', 'a request waits for ever', store({ requests: [{ operation: 'o7', instance }] })],
  ['5', 'a sealed request has no operation', store({ secrets: [{ name: 'operation/o7/params', owner: 'o7' }] })],
  ['5', 'an operation is hidden', store({ operations: [{ id: 'o7', instance, state: 'STARTING' }] })],
  ['6', 'a retry was accepted and nothing happened', { sent: [...fine.sent, sent('retry')] }],
  ['6', 'a fail was refused and happened', { ...ended, sent: [...fine.sent, sent('fail', no)] }],
  [
    '6',
    'cancelled, and no cancel was sent',
    { operations: [{ ...waits, error: { code: 'OPERATION_CANCELLED', detail: 'x' } }] },
  ],
  [
    '6',
    'a cancel was accepted, and it completed',
    {
      operations: [operation('STARTING', 'PROCESSING', 'COMPLETED')],
      workflows: new Map(),
      sent: [...fine.sent, sent('cancel')],
    },
  ],
  [
    '7',
    'a defect of vnflow',
    { sent: [...fine.sent, sent('retry', { kind: 'answered', status: 500, code: 'INTERNAL', text: '' })] },
  ],
  [
    '1',
    'a decision was accepted, and its workflow still works',
    { workflows: new Map([[instance, { isOpen: true, isBusy: true, operation: 'o1', state: 'FAILED_TEMP' }]]) },
  ],
  ['8', 'a state is entered twice', { operations: [operation('STARTING', 'STARTING', 'PROCESSING', 'FAILED_TEMP')] }],
  [
    '8',
    'the shown state is not the last state of the timeline',
    { operations: [{ ...waits, states: ['STARTING', 'PROCESSING'] }] },
  ],
  [
    '9',
    'one request, two operations',
    { operations: [{ ...failed, id: 'o0' }, waits], sent: [sent('instantiate'), sent('fail', lost)] },
  ],
];

it.each(WRONG)('invariant %s: %s', (number, _, change) => {
  expect(judge({ ...fine, ...change }).map(({ invariant }) => invariant.split(' ')[0])).toContain(number);
});

it('waits only for violations that can disappear with time', () => {
  expect(mayHeal(judge({ ...fine, workflows: new Map() }))).toBe(true);
  // the state was read before a change, the timeline after it
  expect(mayHeal(judge({ ...fine, operations: [{ ...waits, states: failed.states }] }))).toBe(true);
  expect(mayHeal(judge({ ...fine, sent: [...fine.sent, sent('delete', no, true)] }))).toBe(false);
});
