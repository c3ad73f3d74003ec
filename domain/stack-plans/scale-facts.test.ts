import { expect, it } from 'vitest';
import type { Flavour } from '../vnfd/model.ts';
import { scaleFacts } from './scale-facts.ts';

const flavour = {
  id: 'simple',
  aspects: [{ id: 'workerNode_scale', maxScaleLevel: 2, vduDeltas: { workerNode: 1 } }],
} as unknown as Flavour;
const info = {
  scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 1 }],
  vnfcResourceInfo: [
    { vduId: 'workerNode' },
    { vduId: 'masterNode' },
    { vduId: 'workerNode' },
    { vduId: 'workerNode' },
  ],
};

it('counts the workers that are there and those that come or go', () => {
  expect(scaleFacts({ type: 'SCALE_OUT', aspectId: 'workerNode_scale', numberOfSteps: 1 }, flavour, info)).toEqual({
    type: 'SCALE_OUT',
    vduId: 'workerNode',
    count: 3,
    by: 1,
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
