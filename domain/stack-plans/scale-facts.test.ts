import { describe, expect, it } from 'vitest';
import type { Flavour } from '../vnfd/model.ts';
import { scaleFacts } from './scale-facts.ts';

const flavour = {
  id: 'simple',
  aspects: [{ id: 'workerNode_scale', maxScaleLevel: 2, vduDeltas: { workerNode: 1 } }],
} as unknown as Flavour;
const info = {
  scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 1 }],
  vnfcResourceInfo: [
    { vduId: 'workerNode', metadata: { vdu_idx: 2 } },
    { vduId: 'masterNode', metadata: { vdu_idx: 0 } },
    { vduId: 'workerNode', metadata: { vdu_idx: 1 } },
    { vduId: 'workerNode', metadata: { vdu_idx: 0 } },
  ],
};

it('counts the workers that are there and those that come or go', () => {
  expect(scaleFacts({ type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 1 }, flavour, info)).toEqual({
    type: 'SCALE_OUT',
    vduId: 'workerNode',
    count: 3,
    by: 1,
    slots: ['workerNode[3]'],
  });
});

it('scales in from the highest index, as StandardUserData counts', () => {
  const request = { type: 'SCALE_IN', aspectId: 'workerNode_scale', numberOfSteps: 1 } as const;
  expect(scaleFacts(request, flavour, info).slots).toEqual(['workerNode[2]']);
});

describe('a VDU whose servers are members of a group', () => {
  const member = (index: number, name: string, second: number) => ({
    vduId: 'workerNode',
    metadata: { vdu_idx: index, parent_resource_name: name, parent_creation_time: `2026-11-22T08:00:0${second}Z` },
  });
  const group = { ...info, vnfcResourceInfo: [member(3, 'b', 1), member(0, 'c', 4), member(1, 'a', 1)] };
  const scaled = (type: 'SCALE_IN' | 'SCALE_OUT', additionalParams?: Record<string, string>) =>
    scaleFacts({ type, aspectId: 'workerNode_scale', numberOfSteps: 1, additionalParams }, flavour, group).slots;

  it('loses the oldest member, or the first by name of two that are equally old; with is_reverse the newest', () => {
    expect(scaled('SCALE_IN')).toEqual(['workerNode[1]']);
    expect(scaled('SCALE_IN', { is_reverse: 'False' })).toEqual(['workerNode[1]']);
    expect(scaled('SCALE_IN', { is_reverse: 'True' })).toEqual(['workerNode[0]']);
    expect(() => scaled('SCALE_IN', { is_reverse: 'yes' })).toThrow('is_reverse');
  });

  it('gains the lowest slot that is free', () => {
    expect(scaled('SCALE_OUT')).toEqual(['workerNode[2]']);
  });
});

it.each([
  [
    { type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 2 },
    /numberOfSteps: SCALE_OUT by 2 .* from level 1 to 3/,
  ],
  [{ type: 'SCALE_IN', aspectId: 'workerNode_scale', numberOfSteps: 2 }, /from level 1 to -1/],
  [
    { type: 'SCALE_OUT', aspectId: 'masters', numberOfSteps: 1 },
    /aspectId: flavour "simple" has no scaling aspect "masters"; it has workerNode_scale/,
  ],
] as const)('refuses %j and says why', (request, why) => {
  expect(() => scaleFacts(request, flavour, info)).toThrow(why);
});
