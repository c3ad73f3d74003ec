import { z } from 'zod';
import type { NodeTemplate } from './tosca.ts';

const Implementation = z.union([z.string(), z.object({ primary: z.string() }).transform(({ primary }) => primary)]);
/** An operation of the interface is the implementation itself, or has one. */
const Hook = z.union([
  Implementation,
  z.object({ implementation: Implementation }).transform(({ implementation }) => implementation),
]);
const Interfaces = z.looseObject({ Vnflcm: z.record(z.string(), z.unknown()) });

/**
 * The management drivers that node templates name: `interfaces.Vnflcm.{hook}.implementation` (tacker-lcm §7). What is
 * written in another way names none.
 */
export function managementDriversOf(nodes: readonly NodeTemplate[]): string[] {
  const names = nodes.flatMap(({ interfaces }) => {
    const read = Interfaces.safeParse(interfaces);
    if (!read.success) return [];
    const { type: _, inputs: __, ...hooks } = read.data.Vnflcm;
    return Object.values(hooks).flatMap((hook) => {
      const found = Hook.safeParse(hook);
      return found.success ? [found.data] : [];
    });
  });
  return [...new Set(names)];
}
