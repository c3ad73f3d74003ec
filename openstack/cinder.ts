import { z } from 'zod';
import type { CallOptions, Session } from './session.ts';

const volumeSchema = z.object({ volume: z.object({ id: z.string(), status: z.string() }) });

/** Reads a volume. @returns undefined when there is no such volume */
export async function showVolume(
  session: Session,
  id: string,
  options: CallOptions = {},
): Promise<{ readonly id: string; readonly status: string } | undefined> {
  const path = `volumes/${encodeURIComponent(id)}`;
  const answer = await session.request({
    service: 'block-storage',
    method: 'GET',
    path,
    expect: [200, 404],
    ...options,
  });
  return answer.status === 404 ? undefined : answer.read(volumeSchema).volume;
}

/** Starts the deletion of a volume. A volume that does not exist is no error; one that is attached is refused. */
export async function deleteVolume(session: Session, id: string, options: CallOptions = {}): Promise<void> {
  const path = `volumes/${encodeURIComponent(id)}`;
  await session.request({ service: 'block-storage', method: 'DELETE', path, expect: [202, 404], ...options });
}
