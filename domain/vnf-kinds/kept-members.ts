import { isDeepStrictEqual } from 'node:util';
import { VnflowError } from '../problems.ts';

type Members = Readonly<Record<string, unknown>>;

/** @returns the members of the kept parameters for which a later request says nothing */
export function keepMembers(own: unknown, kept: unknown, names: readonly string[]): unknown {
  if (!isObject(own) || !isObject(kept)) return own;
  const missing = names.filter((name) => own[name] === undefined && kept[name] !== undefined);
  return { ...own, ...Object.fromEntries(missing.map((name) => [name, kept[name]])) };
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
