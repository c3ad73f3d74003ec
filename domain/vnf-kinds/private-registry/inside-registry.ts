import type { PlanStep } from '../../operation/plan.ts';
import type { InsideServers } from '../../stack-plans/inside-servers.ts';
import type { After, PlanDrawing } from '../../stack-plans/plan-drawing.ts';

/**
 * What happens in the server of a registry. A server that is replaced loses its images, because they are on its disk:
 * the plan names them while the server still answers.
 * @param slot of the server
 */
export function insideRegistry(slot: string): InsideServers {
  const lose = (drawing: PlanDrawing): After => [drawing.add('nameLostImages', [], { slot })];
  const install = (drawing: PlanDrawing, discovered: PlanStep) => {
    const prepared = drawing.add('prepareRegistry', [discovered], { slot });
    const started = drawing.add('startRegistry', [prepared], { slot });
    drawing.add('verifyRegistry', [started], { slot });
  };
  return {
    afterStackCreated: install,
    afterServersAdded() {},
    beforeServersRemoved: () => [],
    afterServersRemoved() {},
    beforeStackRecreated: lose,
    reconfigure() {},
    replaceServers(drawing) {
      install(drawing, drawing.replaceServers(lose(drawing), { slot }));
    },
  };
}
