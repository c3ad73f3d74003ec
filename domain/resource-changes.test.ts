import { expect, it } from 'vitest';
import { resourceChanges } from './resource-changes.ts';

const vnfc = (id: string) => ({
  id,
  vduId: 'workerNode',
  computeResource: { resourceId: id },
  vnfcCpInfo: [{ id: `workerNode_CP1-${id}` }],
});
const port = (id: string) => ({ id, resourceHandle: { resourceId: id }, cpInstanceId: `cp-${id}` });

it('names what was added and what was removed, and leaves out what stayed', () => {
  expect(
    resourceChanges(
      { vnfcResourceInfo: [vnfc('a'), vnfc('b')], extVirtualLinkInfo: [{ extLinkPorts: [port('p')] }] },
      { vnfcResourceInfo: [vnfc('b'), vnfc('c')], extVirtualLinkInfo: [{ extLinkPorts: [port('p')] }] },
    ),
  ).toEqual({
    affectedVnfcs: [
      {
        id: 'c',
        vduId: 'workerNode',
        changeType: 'ADDED',
        computeResource: { resourceId: 'c' },
        affectedVnfcCpIds: ['workerNode_CP1-c'],
      },
      {
        id: 'a',
        vduId: 'workerNode',
        changeType: 'REMOVED',
        computeResource: { resourceId: 'a' },
        affectedVnfcCpIds: ['workerNode_CP1-a'],
      },
    ],
  });
});

it('is absent when nothing changed', () => {
  expect(resourceChanges({ vnfcResourceInfo: [vnfc('a')] }, { vnfcResourceInfo: [vnfc('a')] })).toBeUndefined();
});
