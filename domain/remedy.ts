import type { OperationState } from './operation/state.ts';
import { PROBLEMS, type ProblemCode, type ProblemKind } from './problems.ts';

/** How remedies name what an operation that has ended refuses, and what is done instead. In this order. */
const AT_THE_END: readonly (readonly [RegExp, string])[] = [
  [/; or `vnflow ops rollback OP_OCC`|, or roll back| \(or fail\)/g, ''],
  [/`vnflow ops rollback OP_OCC`, (then )?/g, ''],
  [/a failed operation( then)? goes on with `vnflow ops retry OP_OCC`/g, 'send the request again'],
  [/`vnflow ops retry OP_OCC`(: it updates the stack)?/g, 'send the request again'],
];

/**
 * What to do about a problem that an operation met. One that has ended is not retried: its request is sent again.
 * @param state of the operation
 * @returns a sentence; `OP_OCC` stands for the id of the operation
 */
export function remedyIn(state: OperationState, code: ProblemCode): string {
  const { remedy }: ProblemKind = PROBLEMS[code];
  if (state !== 'ROLLED_BACK' && state !== 'FAILED') return remedy;
  if (code === 'OPERATION_CANCELLED') return 'Send the request again when it is wanted after all.';
  return AT_THE_END.reduce((text, [named, instead]) => text.replaceAll(named, instead), remedy);
}

/** What a remedy is about. */
export interface RemedyIds {
  readonly vnfLcmOpOccId?: string | undefined;
  readonly vnfInstanceId?: string | undefined;
}

const CONTROL = /`vnflow ops (retry|rollback|fail) OP_OCC`/g;

/**
 * Puts the ids into the commands of a remedy, so that a person can copy them, and names the commands of the `openstack`
 * client that do the same, for people who do not have `vnflow`.
 */
export function fillRemedy(remedy: string, { vnfLcmOpOccId, vnfInstanceId }: RemedyIds): string {
  const named = vnfInstanceId === undefined ? remedy : remedy.replaceAll('--vnf ID', `--vnf ${vnfInstanceId}`);
  if (vnfLcmOpOccId === undefined) return named;
  const controls = new Set([...named.matchAll(CONTROL)].map(([, control]) => control));
  const commands = [...controls].map((control) => `\`openstack vnflcm op ${control} ${vnfLcmOpOccId}\``);
  const also = commands.length === 0 ? '' : ` Tacker's client: ${commands.join(', ')}.`;
  return `${named.replaceAll('OP_OCC', vnfLcmOpOccId)}${also}`;
}
