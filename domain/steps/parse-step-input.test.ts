import { expect, it } from 'vitest';
import { otherSlotsOf, type StepKind, slotsOf, stepSummary } from './index.ts';
import { parseStepInput } from './parse-step-input.ts';

const [m0, w0, w1] = ['masterNode[0]', 'workerNode[0]', 'workerNode[1]'];

it('reads the input of a step, and leaves out what is not of it', () => {
  const written = { id: 'restoreControlPlane-masterNode-0', after: ['x'], slot: m0, backupId: 'b7' };
  expect(parseStepInput('restoreControlPlane', written)).toEqual({ slot: m0, backupId: 'b7' });
  expect(parseStepInput('discover', { slots: [w0] })).toEqual({});
});

it('refuses a step that lacks what its kind needs, or has something else there', () => {
  expect(() => parseStepInput('joinWorker', {})).toThrow('A step of the kind joinWorker has no slot as its slot.');
  expect(() => parseStepInput('removeWorkers', { workers: [1] })).toThrow(TypeError);
  expect(() => parseStepInput('joinWorker', { slot: w0, readyLater: 'yes' })).toThrow('no flag? as its readyLater');
});

it.each<[StepKind, object, object, string]>([
  ['growStack', { slots: [w0] }, { servers: [w0] }, 'add servers to the Heat stack'],
  ['replaceServers', { slots: [w0, w1] }, { servers: [w0, w1] }, `replace ${w0}, ${w1}`],
  ['replaceServers', { slot: m0 }, { slot: m0 }, `replace ${m0}`],
  ['stopServers', { slots: [m0] }, { servers: [m0] }, `stop the servers of ${m0}`],
  ['removeWorkers', { slots: [w0] }, { workers: [w0] }, `drain and delete ${w0}`],
  ['recallNodes', { slot: m0, slots: [w0] }, { slot: m0, staying: [w0] }, `see that the nodes come back to ${m0}`],
  ['excludeFromLoadBalancers', { slot: m0, slots: [] }, { slot: m0, out: [] }, `take ${m0} out of the load balancers`],
  ['snapshotEtcd', { slots: [m0] }, { source: m0 }, `back up etcd and the keys of the cluster from ${m0}`],
])('reads %s of a plan in which nodes had no names yet: %j', (kind, written, input, summary) => {
  const read = parseStepInput(kind, { ...written });
  expect(read).toEqual(input);
  expect(stepSummary({ kind, ...read })).toBe(summary);
});

it('finds every node that a step names', () => {
  const recall = (...staying: string[]) => ({ kind: 'recallNodes', slot: m0, staying }) as const;
  expect(slotsOf(recall(w0, w1))).toEqual([m0, w0, w1]);
  expect(otherSlotsOf(recall(w0, w1))).toEqual([w0, w1]);
  expect(otherSlotsOf(recall())).toEqual([]);
  expect(otherSlotsOf({ kind: 'joinWorker', slot: w0 })).toBeUndefined();
});
