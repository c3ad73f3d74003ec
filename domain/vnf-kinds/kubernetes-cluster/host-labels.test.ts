import { expect, it } from 'vitest';
import { hostLabels, labelManifest, nodesToLabel, readLabelledNodes } from './host-labels.ts';

const HASH = 'bdd83b04143e4048e93141cfb5600c39571a94e501564cf7a1380073';

it('labels a worker with its compute host, as guide 002 prints it, and with its zone only when one was named', () => {
  expect(hostLabels({ host: 'compute03', hostId: HASH, zone: undefined })).toEqual({ 'CIS-node': 'compute03' });
  expect(hostLabels({ host: 'compute03', hostId: HASH, zone: 'nova' })).toEqual({
    'CIS-node': 'compute03',
    'kubernetes.io/zone': 'nova',
  });
});

it.each([
  ['hides the host', undefined],
  ['has a host with more than 63 characters', `compute-${'x'.repeat(56)}`],
  ['has a host with characters that no label takes', 'rack 7/compute'],
])('takes hostId where Nova %s', (_, host) => {
  expect(hostLabels({ host, hostId: HASH, zone: undefined })).toEqual({ 'CIS-node': HASH });
});

it('leaves out a zone that no label takes, and everything for a server without a host', () => {
  expect(hostLabels({ host: 'compute03', hostId: HASH, zone: 'zone of the north' })).toEqual({
    'CIS-node': 'compute03',
  });
  expect(hostLabels({ host: undefined, hostId: '', zone: 'nova' })).toBeUndefined();
});

const answer = [
  ['worker1', 'uid-1', { 'CIS-node': 'compute01', 'kubernetes.io/os': 'linux' }],
  ['worker2', 'uid-2', { 'CIS-node': 'compute01' }],
  ['worker3', 'uid-3', {}],
  ['master1', 'uid-4', {}],
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

it('finds the nodes whose labels are wrong: those that are right, masters, and nodes that are not there are left alone', () => {
  const wanted = new Map([
    ['worker1', { 'CIS-node': 'compute01' }],
    ['worker2', { 'CIS-node': 'compute02' }],
    ['worker3', { 'CIS-node': 'compute03', 'kubernetes.io/zone': 'nova' }],
    ['worker4', { 'CIS-node': 'compute04' }],
  ]);
  const wrong = nodesToLabel(readLabelledNodes(answer), wanted);
  expect(wrong).toEqual([
    { name: 'worker2', uid: 'uid-2', labels: { 'CIS-node': 'compute02' } },
    { name: 'worker3', uid: 'uid-3', labels: { 'CIS-node': 'compute03', 'kubernetes.io/zone': 'nova' } },
  ]);
  expect(JSON.parse(labelManifest(wrong.slice(0, 1)))).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'worker2', uid: 'uid-2', labels: { 'CIS-node': 'compute02' } },
      },
    ],
  });
});

it('reads a node without labels', () => {
  expect(readLabelledNodes('["worker1","uid-1",]\n')).toEqual([{ name: 'worker1', uid: 'uid-1', labels: {} }]);
});

it('refuses an answer that is no list of nodes', () => {
  expect(() => readLabelledNodes('error: timed out\n')).toThrow();
  expect(() => readLabelledNodes('["worker1"]\n')).toThrow();
});
