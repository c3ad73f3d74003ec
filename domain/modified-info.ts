import { isDeepStrictEqual } from 'node:util';
import { mergePatch } from './merge-patch.ts';
import { withoutSecrets } from './redaction.ts';
import type { VnfInfoModificationRequest } from './sol-requests.ts';

type Free = Record<string, unknown>;

/** The members of an instance that a MODIFY_INFO may change, with the names of SOL003. */
export interface ModifiableInfo {
  readonly vnfInstanceName?: string | undefined;
  readonly vnfInstanceDescription?: string | undefined;
  readonly vnfConfigurableProperties?: Free | undefined;
  readonly metadata?: Free | undefined;
  readonly extensions?: Free | undefined;
  /** The VIM connections, secrets included. */
  readonly vimConnectionInfo?: Free | undefined;
}

const TEXTS = ['vnfInstanceName', 'vnfInstanceDescription'] as const;
const MAPS = ['vnfConfigurableProperties', 'metadata', 'extensions', 'vimConnectionInfo'] as const;

/**
 * What a request changes: texts are replaced, maps are merged (RFC 7396).
 * @returns the new values of the members that differ afterwards, secrets included. It has no other members
 */
export function modifiedInfo(before: ModifiableInfo, request: VnfInfoModificationRequest): ModifiableInfo {
  const texts = TEXTS.flatMap((name) => {
    const text = request[name];
    return text === undefined || text === (before[name] ?? '') ? [] : [[name, text] as const];
  });
  const maps = MAPS.flatMap((name) => {
    const patch = request[name];
    if (patch === undefined) return [];
    const present = before[name] ?? {};
    const merged = mergePatch(present, patch);
    return isDeepStrictEqual(merged, present) ? [] : [[name, merged] as const];
  });
  return Object.fromEntries<unknown>([...texts, ...maps]);
}

/** `changedInfo` of the operation occurrence: what has changed, without secrets. Undefined when nothing has. */
export function changedInfo(change: ModifiableInfo): Free | undefined {
  return Object.keys(change).length === 0 ? undefined : withoutSecrets({ ...change });
}
