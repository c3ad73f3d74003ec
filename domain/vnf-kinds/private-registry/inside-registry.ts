import type { PlanStep } from '../../operation/plan.ts';
import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';
import type { ContentsPlan } from './keep-contents.ts';

/** How the contents leave a server that is replaced. */
const BEFORE: {
  readonly [P in ContentsPlan as P['by']]: (drawing: PlanDrawing, slot: string, plan: P) => After;
} = {
  volume: (drawing, slot, { recreated }) => {
    const released = drawing.add('releaseVolume', [], { slot });
    return recreated ? [drawing.add('keepVolumes', [released])] : [released];
  },
  copy: (drawing, slot, { container, lossAccepted }) => [
    drawing.add('copyImagesOut', [], {
      slot,
      ...(container === undefined ? {} : { container }),
      ...(lossAccepted ? { lossAccepted } : {}),
    }),
  ],
  earlierCopy: () => [],
  nothing: (drawing, slot) => [drawing.add('nameLostImages', [], { slot })],
};

const PUT_BACK: readonly ContentsPlan['by'][] = ['copy', 'earlierCopy'];

/**
 * What happens in the server of a registry. A server that is replaced takes the images with it, unless they are on a
 * volume: they are copied before, and put back into the new one.
 * @param slot of the server
 * @param contents decides how a heal treats the contents. @throws VnflowError when they would be lost
 */
export function insideRegistry(slot: string, contents: (recreated: boolean) => ContentsPlan): InsideServers {
  const before = (drawing: PlanDrawing, recreated: boolean): After => {
    const plan = contents(recreated);
    return (BEFORE[plan.by] as (drawing: PlanDrawing, slot: string, plan: ContentsPlan) => After)(drawing, slot, plan);
  };
  const install = (drawing: PlanDrawing, discovered: PlanStep): PlanStep => {
    const prepared = drawing.add('prepareRegistry', [discovered], { slot });
    const started = drawing.add('startRegistry', [prepared], { slot });
    return drawing.add('verifyRegistry', [started], { slot });
  };
  const installAgain = (drawing: PlanDrawing, discovered: PlanStep, recreated: boolean): void => {
    const verified = install(drawing, discovered);
    if (!PUT_BACK.includes(contents(recreated).by)) return;
    drawing.add('removeImageCopies', [drawing.add('copyImagesIn', [verified], { slot })]);
  };
  return {
    afterStackCreated(drawing, discovered) {
      install(drawing, discovered);
    },
    afterServersAdded() {},
    beforeServersRemoved: () => [],
    afterServersRemoved() {},
    reconfigure() {},
    beforeStackRecreated: (drawing) => before(drawing, true),
    afterStackRecreated: (drawing, discovered) => installAgain(drawing, discovered, true),
    replaceServers(drawing) {
      installAgain(drawing, drawing.replaceServers(before(drawing, false), { slot }), false);
    },
  };
}
