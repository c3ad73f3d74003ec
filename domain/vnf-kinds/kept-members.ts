import { isDeepStrictEqual } from 'node:util';
import { VnflowError } from '../problems.ts';

type Members = Readonly<Record<string, unknown>>;

/** The names of members, as a kind of VNF has them. */
interface MemberNames {
  readonly keptMembers: readonly string[];
  readonly heldMembers: readonly string[];
}

/**
 * @returns the parameters of a later request, with the kept members for which it says nothing, and those that hold
 * whatever it says
 */
export function keepMembers(own: unknown, kept: unknown, { keptMembers, heldMembers }: MemberNames): unknown {
  if (!isObject(own) || !isObject(kept)) return own;
  const others = Object.fromEntries(Object.entries(own).filter(([name]) => !heldMembers.includes(name)));
  const taken = [...keptMembers, ...heldMembers].filter(
    (name) => others[name] === undefined && kept[name] !== undefined,
  );
  return { ...others, ...Object.fromEntries(taken.map((name) => [name, kept[name]])) };
}

/** @throws VnflowError BAD_REQUEST for a member that a later request changes */
export function refuseChanges(
  own: unknown,
  kept: unknown,
  { names, at }: { names: readonly string[]; at: string },
): void {
  if (!isObject(own) || !isObject(kept)) return;
  const changed = names.find((name) => own[name] !== undefined && !isDeepStrictEqual(own[name], kept[name]));
  if (changed === undefined) return;
  throw new VnflowError('BAD_REQUEST', {
    detail: `${at}.${changed}: is set when the VNF is instantiated, and holds as long as it lives. Leave it out, or send what it was.`,
  });
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
