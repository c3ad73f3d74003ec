import { posix } from 'node:path';
import { z } from 'zod';
import type { LcmHook } from './model.ts';
import { resolveInPackage } from './package-path.ts';
import type { NodeTemplate } from './tosca.ts';

const Implementation = z.union([z.string(), z.object({ primary: z.string() }).transform(({ primary }) => primary)]);
/** An operation of the interface is the implementation itself, or has one. */
const Hook = z.union([
  Implementation,
  z.object({ implementation: Implementation }).transform(({ implementation }) => implementation),
]);
const Interfaces = z.looseObject({ Vnflcm: z.record(z.string(), z.unknown()) });

/** The names by which a driver may be known: that of the implementation, and that of the file with its script. */
export function driverNames({ implementation, script }: LcmHook): string[] {
  return script === undefined ? [implementation] : [implementation, posix.basename(script)];
}

const PYTHON = 'tosca.artifacts.Implementation.Python';

/**
 * The hooks that node templates name: `interfaces.Vnflcm.{hook}.implementation` (tacker-lcm §7). What is written in
 * another way names none. Of two nodes with the hook, the first counts.
 * @param path of the definitions file: the paths of scripts are relative to it
 */
export function lcmHooksOf(nodes: readonly NodeTemplate[], path: string): LcmHook[] {
  const hooks = nodes.flatMap(({ interfaces, artifacts }) => {
    const read = Interfaces.safeParse(interfaces);
    if (!read.success) return [];
    const { type: _, inputs: __, ...named } = read.data.Vnflcm;
    return Object.entries(named).flatMap(([name, written]) => {
      const { data: implementation } = Hook.safeParse(written);
      if (implementation === undefined) return [];
      const artifact = artifacts && Object.hasOwn(artifacts, implementation) ? artifacts[implementation] : undefined;
      const script = artifact?.type === PYTHON ? resolveInPackage(path, artifact.file) : undefined;
      return [{ name, implementation, ...(script === undefined ? {} : { script }) }];
    });
  });
  return hooks.filter(({ name }, at) => hooks.findIndex((other) => other.name === name) === at);
}
