import { isDeepStrictEqual } from 'node:util';
import { withoutSecrets } from '../domain/redaction.ts';
import { type Secrets, secretName } from './secrets.ts';

type Free = Readonly<Record<string, unknown>>;

const MAPS = ['metadata', 'extensions', 'vnfConfigurableProperties'] as const;

/** The maps of an instance that clients fill as they like. */
export type FreeInfo = { readonly [map in (typeof MAPS)[number]]?: Free | null | undefined };

/**
 * Seals the maps in which something looks like a secret. The row of the instance has them without it.
 * @param maps new values; a map that is not there stays as it is
 */
export async function sealFreeInfo(secrets: Secrets, vnfInstanceId: string, maps: FreeInfo): Promise<void> {
  const name = secretName.freeInfo(vnfInstanceId);
  const before = ((await secrets.get(name)) ?? {}) as FreeInfo;
  const given = MAPS.filter((map) => maps[map] !== undefined);
  const kept = Object.entries(before).filter(([map]) => !given.some((each) => each === map));
  const sealed = given.filter((map) => !isDeepStrictEqual(withoutSecrets(maps[map]), maps[map]));
  const after = Object.fromEntries([...kept, ...sealed.map((map) => [map, maps[map]] as const)]);
  if (!isDeepStrictEqual(before, after)) await secrets.put(name, after, vnfInstanceId);
}

/** The maps of an instance with their secrets. @param row the instance, with the maps without them */
export async function readFreeInfo(
  secrets: Secrets,
  { id, ...row }: FreeInfo & { readonly id: string },
): Promise<{ readonly [map in keyof FreeInfo]: Record<string, unknown> | undefined }> {
  const sealed = ((await secrets.get(secretName.freeInfo(id))) ?? {}) as FreeInfo;
  return Object.fromEntries(MAPS.map((map) => [map, sealed[map] ?? row[map] ?? undefined]));
}
