import { type StepInputs, type StepKind, stepFacts } from './index.ts';
import { isOfMember } from './step-input.ts';

/**
 * What a plan of before 2026-11-22 calls `slots`: a list of slots. Today each kind of step has its own name for the
 * list.
 */
const SLOTS_BEFORE: Readonly<Partial<Record<StepKind, string>>> = {
  growStack: 'servers',
  shrinkStack: 'servers',
  stopServers: 'servers',
  replaceServers: 'servers',
  removeWorkers: 'workers',
  forgetNodes: 'workers',
  recallNodes: 'staying',
  excludeFromLoadBalancers: 'out',
  includeInLoadBalancers: 'out',
  snapshotEtcd: 'source',
};

/**
 * Reads the input of a step as a plan in the store or in a history has it, also one that an older release wrote.
 * @param members of the step; others than those of its input are left out
 * @throws TypeError naming the member that does not fit
 */
export function parseStepInput<K extends StepKind>(kind: K, members: Readonly<Record<string, unknown>>): StepInputs[K] {
  const present = withPresentNames(kind, members);
  const input: Record<string, unknown> = {};
  for (const [member, is] of Object.entries(stepFacts(kind).input)) {
    const value = present[member];
    if (!isOfMember(is, value)) throw new TypeError(`A step of the kind ${kind} has no ${is} as its ${member}.`);
    if (value !== undefined) input[member] = value;
  }
  return input as StepInputs[K];
}

function withPresentNames(
  kind: StepKind,
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const name = SLOTS_BEFORE[kind];
  const { slots } = members;
  if (name === undefined || !Array.isArray(slots)) return members;
  const isList = stepFacts(kind).input[name]?.startsWith('slots');
  return { ...members, [name]: isList ? slots : slots[0] };
}
