import type { Operation } from '../domain/operations.ts';
import { VnflowError } from '../domain/problems.ts';
import type { CodeOfPlan } from '../domain/stack-plans/package-code-steps.ts';
import { isBuiltIn } from '../domain/vnf-kinds/index.ts';
import type { Flavour, LcmHook } from '../domain/vnfd/model.ts';

/** @param what names the code, as the start of a sentence @throws VnflowError PACKAGE_CODE_DISABLED */
export function checkCodeAllowed(allowed: boolean | undefined, what: string): void {
  if (allowed) return;
  throw new VnflowError('PACKAGE_CODE_DISABLED', {
    detail: `${what}. vnflow runs code of packages only where VNFLOW_ALLOW_PACKAGE_CODE=1 is set: who can upload a package can then run programs on its workers.`,
  });
}

/** The names of an operation's hooks begin with this word. */
const HOOK_WORDS: { readonly [O in Operation]: string } = {
  INSTANTIATE: 'instantiate',
  TERMINATE: 'terminate',
  SCALE: 'scale',
  HEAL: 'heal',
  MODIFY_INFO: 'modify_information',
};

export interface HookSources {
  readonly flavour: Flavour;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly allowPackageCode: boolean | undefined;
}

/**
 * The hooks of a package around an operation, or around its rollback.
 * @throws VnflowError PACKAGE_CODE_DISABLED; VNFD_NOT_USABLE when a hook has no script that can be run
 */
export function hooksAround(
  operation: Operation,
  direction: 'forward' | 'rollback',
  sources: HookSources,
): Pick<CodeOfPlan, 'start' | 'end'> {
  const word = `${HOOK_WORDS[operation]}${direction === 'rollback' ? '_rollback' : ''}`;
  const find = (name: string) => {
    const hook = sources.flavour.hooks.find((one) => one.name === name && !isBuiltIn(one));
    if (hook) checkHook(hook, sources);
    return hook?.name;
  };
  const start = find(`${word}_start`);
  const end = find(`${word}_end`);
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

function checkHook({ name, implementation, script }: LcmHook, { files, allowPackageCode }: HookSources): void {
  const content = script === undefined ? undefined : files.get(script);
  if (content === undefined) {
    throw createHookProblem(
      `names ${implementation}, which is neither built in nor a Python script of the package`,
      name,
    );
  }
  if (!content.includes('stdin')) {
    throw createHookProblem(
      `names ${script}, which does not read its standard input: it is a driver that runs inside of Tacker (version 1), and vnflow runs scripts of version 2 only`,
      name,
    );
  }
  checkCodeAllowed(allowPackageCode, `The hook ${name} of the VNFD is code of the package (${script})`);
}

function createHookProblem(why: string, name: string): VnflowError {
  return new VnflowError('VNFD_NOT_USABLE', { detail: `The hook ${name} of the VNFD ${why}.` });
}
