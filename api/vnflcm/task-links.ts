import { LCM_OPERATIONS, TASKS } from '../../domain/operations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';

/** The links of Tacker to tasks of an instance. `change_ext_conn` is not served yet (docs/api.md). */
const TASK_LINKS = [
  ...TASKS.map(([operation, task]) => ({ task, needs: LCM_OPERATIONS[operation].needs })),
  { task: 'change_ext_conn', needs: 'INSTANTIATED' },
].map((link) => ({ ...link, name: camelCase(link.task) }));

/** Names of all links to tasks: `changeExtConn` for `change_ext_conn`. */
export const TASK_LINK_NAMES: readonly string[] = TASK_LINKS.map(({ name }) => name);

/**
 * The links to the tasks that the state of an instance allows.
 * @param self address of the instance
 */
export function taskLinks(
  { instantiationState }: Pick<VnfInstanceRow, 'instantiationState'>,
  self: string,
): Record<string, { readonly href: string }> {
  const allowed = TASK_LINKS.filter(({ needs }) => needs === undefined || needs === instantiationState);
  return Object.fromEntries(allowed.map(({ name, task }) => [name, { href: `${self}/${task}` }]));
}

function camelCase(task: string): string {
  return task.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
