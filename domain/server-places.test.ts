import { expect, it } from 'vitest';
import { groupSizes, hasOnlyServer, knownPlaces, type PlacedResource, serverPlaces } from './server-places.ts';

const ROOT = { name: 'root', id: 'root' };
const GROUP = { name: 'group', id: 'group' };
const group: PlacedResource = {
  name: 'worker_instance',
  type: 'OS::Heat::AutoScalingGroup',
  physicalId: 'group',
  creationTime: '',
  stack: ROOT,
};

/** A member with its server, as two rows. */
function member(name: string, second: number): PlacedResource[] {
  const creationTime = `2026-11-22T08:00:0${second}Z`;
  const stack = { name, id: `stack-${name}` };
  return [
    { name, type: 'worker.yaml', physicalId: stack.id, creationTime, stack: GROUP, parent: 'worker_instance' },
    { name: 'workerNode', type: 'OS::Nova::Server', physicalId: `s-${name}`, creationTime, stack, parent: name },
  ];
}

/** Index by id of the server. */
function indices(resources: readonly PlacedResource[], known: Parameters<typeof serverPlaces>[1] = []) {
  return Object.fromEntries(
    [...serverPlaces(resources, known)].map(([{ physicalId }, { index }]) => [physicalId, index]),
  );
}

it('numbers the members of a new group by age, and by name where Heat made them within one second', () => {
  expect(indices([group, ...member('b', 1), ...member('c', 0), ...member('a', 1)])).toEqual({
    's-c': 0,
    's-a': 1,
    's-b': 2,
  });
});

it('a member keeps its place while it lives; a new one takes the lowest free place', () => {
  const known = [
    { vduId: 'workerNode', member: 'a', index: 0 },
    { vduId: 'workerNode', member: 'b', index: 1 },
    { vduId: 'workerNode', member: 'c', index: 2 },
  ];
  const rest = [group, ...member('c', 2), ...member('b', 1)];
  expect(indices(rest, known)).toEqual({ 's-b': 1, 's-c': 2 });
  expect(indices([...rest, ...member('d', 5)], known)).toEqual({ 's-b': 1, 's-c': 2, 's-d': 0 });
  expect(groupSizes(rest)).toEqual({ worker_instance: 2 });
});

it('reads places from instantiatedVnfInfo', () => {
  const metadata = { vdu_idx: 4, parent_resource_name: 'abc', parent_creation_time: '2026-11-22T08:00:00Z' };
  const info = {
    vnfcResourceInfo: [
      { vduId: 'workerNode', metadata },
      { vduId: 'masterNode', metadata: { vdu_idx: 0 } },
    ],
  };
  expect(knownPlaces(info)).toEqual([{ vduId: 'workerNode', member: 'abc', index: 4 }]);
  expect(knownPlaces(undefined)).toEqual([]);
});

it('reads the place of a server that StandardUserData made from the name of its nested stack', () => {
  const stack = { name: 'n', id: 'n' };
  const server = { type: 'OS::Nova::Server', creationTime: '', stack, physicalId: 'x' };
  expect(indices([{ ...server, name: 'workerNode', parent: 'workerNode-10' }])).toEqual({ x: 10 });
  expect(indices([{ ...server, name: 'jump', parent: 'workerNode-10' }])).toEqual({});
});

it('a server of the top HOT, or in a nested stack with its name, is the only one of its VDU', () => {
  const server = { type: 'OS::Nova::Server', creationTime: '', stack: ROOT, name: 'VDU1' };
  const nested = { ...server, physicalId: 'b', stack: { name: 'n', id: 'n' }, parent: 'VDU1' };
  const places = serverPlaces([{ ...server, physicalId: 'a' }, nested], []);
  expect([...places.values()]).toEqual([
    { index: 0, isOnly: true },
    { index: 0, isOnly: true },
  ]);
});

it('a server without an index is the only one of its VDU', () => {
  const info = (metadata: object) => ({ vnfcResourceInfo: [{ vduId: 'VDU1', metadata }] });
  expect(hasOnlyServer(info({ stack_id: 's' }), 'VDU1')).toBe(true);
  expect(hasOnlyServer(info({ vdu_idx: 0 }), 'VDU1')).toBe(false);
  expect(hasOnlyServer(undefined, 'VDU1')).toBe(false);
});
