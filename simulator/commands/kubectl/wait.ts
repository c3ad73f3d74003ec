import type { KubeObject } from '../../world/cluster/clusters.ts';
import type { Kind } from '../../world/cluster/kinds.ts';
import { goDuration } from '../kubeadm/config.ts';
import { failure, type Output, ok } from '../shell/command.ts';
import { isOutput, notFound, type Scope, select, targets } from './scope.ts';

/** Runs `kubectl wait --for=condition=NAME[=VALUE] | --for=delete` until `--timeout`. */
export async function wait(operands: readonly string[], scope: Scope): Promise<Output> {
  const until = scope.context.world.clock.elapsed() + goDuration(scope.parsed.value('--timeout') ?? '30s');
  const wanted = targets(operands);
  if (isOutput(wanted)) return wanted;
  let stdout = '';
  for (const { kind, name } of wanted) {
    const names = name === undefined ? select(kind, undefined, scope).map((object) => object.metadata.name) : [name];
    if (names.length === 0) return failure(1, 'error: no matching resources found');
    for (const one of names) {
      const problem = await waitForOne(kind, one, { scope, until });
      if (problem) return { ...problem, stdout };
      stdout += `${kind.kind.toLowerCase()}/${one} condition met\n`;
    }
  }
  return ok(stdout);
}

/** Waits for one object. @returns kubectl's error message when the condition was not met in time or cannot be met */
async function waitForOne(
  kind: Kind,
  name: string,
  { scope, until }: { readonly scope: Scope; readonly until: number },
): Promise<Output | undefined> {
  const condition = scope.parsed.value('--for') ?? '';
  const [, type = '', wanted = 'True'] = /^condition=([\w-]+)(?:=(\w+))?$/i.exec(condition) ?? [];
  for (;;) {
    const [object] = select(kind, name, scope);
    if (condition === 'delete' && !object) return undefined;
    if (condition !== 'delete' && !object) return notFound(kind, name);
    if (object && condition !== 'delete' && hasCondition(object, type, wanted)) return undefined;
    if (scope.context.world.clock.elapsed() >= until)
      return failure(1, `error: timed out waiting for the condition on ${kind.plural}/${name}`);
    await scope.context.sleep(1);
  }
}

function hasCondition(object: KubeObject, type: string, wanted: string): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  return conditions.some((found) => same(found.type, type) && same(found.status, wanted));
}
