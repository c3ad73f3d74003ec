import { z } from 'zod';
import { consoleSchema, type Server, serverSchema, serversSchema } from './schemas.ts';
import type { CallOptions, Session } from './session.ts';
import { serviceWords } from './words.ts';

export type { Server } from './schemas.ts';

/** Reads a server. @returns undefined when there is no such server */
export async function showServer(session: Session, id: string, options: CallOptions = {}): Promise<Server | undefined> {
  const path = `servers/${encodeURIComponent(id)}`;
  const answer = await session.request({ service: 'compute', method: 'GET', path, expect: [200, 404], ...options });
  return answer.status === 404 ? undefined : answer.read(serverSchema).server;
}

/** Lists all servers of the project, page by page. */
export async function listServers(session: Session, options: CallOptions = {}): Promise<readonly Server[]> {
  const servers: Server[] = [];
  for (let marker: string | undefined; ; ) {
    const path = `servers/detail${marker === undefined ? '' : `?marker=${encodeURIComponent(marker)}`}`;
    const answer = await session.request({
      service: 'compute',
      method: 'GET',
      path,
      expect: [200],
      timeoutMs: 60_000,
      ...options,
    });
    const page = answer.read(serversSchema);
    servers.push(...page.servers);
    marker = page.servers_links.some(({ rel }) => rel === 'next') ? page.servers.at(-1)?.id : undefined;
    if (marker === undefined) return servers;
  }
}

/** The last lines of a server's console; empty when there is no server or no console. */
export async function consoleOutput(
  session: Session,
  id: string,
  { length = 200, ...options }: CallOptions & { /** In lines. */ readonly length?: number } = {},
): Promise<string> {
  const answer = await session.request({
    service: 'compute',
    method: 'POST',
    path: `servers/${encodeURIComponent(id)}/action`,
    json: { 'os-getConsoleOutput': { length } },
    expect: [200, 404, 409, 501],
    ...options,
  });
  return answer.status === 200 ? (answer.read(consoleSchema).output ?? '') : '';
}

/**
 * Starts the deletion of a server. Ports and volumes that Nova did not create for it stay. A server that does not exist
 * is no error.
 */
export async function deleteServer(session: Session, id: string, options: CallOptions = {}): Promise<void> {
  const path = `servers/${encodeURIComponent(id)}`;
  await session.request({ service: 'compute', method: 'DELETE', path, expect: [204, 404], ...options });
}

const attachmentsSchema = z.object({
  volumeAttachments: z.array(z.object({ volumeId: z.string(), device: z.string().nullish() })),
});

/** Lists the volumes that are attached to a server. Empty when there is no such server. */
export async function listVolumeAttachments(
  session: Session,
  id: string,
  options: CallOptions = {},
): Promise<readonly { readonly volumeId: string; readonly device?: string | null | undefined }[]> {
  const path = `servers/${encodeURIComponent(id)}/os-volume_attachments`;
  const answer = await session.request({ service: 'compute', method: 'GET', path, expect: [200, 404], ...options });
  return answer.status === 404 ? [] : answer.read(attachmentsSchema).volumeAttachments;
}

/** `OS-EXT-STS:power_state` of a server that runs, as its hypervisor last reported it. */
const RUNNING = 1;
const OFF = ['SHUTOFF', 'SHELVED', 'SHELVED_OFFLOADED', 'SOFT_DELETED', 'DELETED'];

/**
 * Is it certain that nothing runs on this server? A PAUSED or SUSPENDED server can continue where it was. ERROR does
 * not say whether the server runs, unless it was never launched.
 */
export function isOff({ status, ...server }: Server): boolean {
  if (status === 'ERROR') return server['OS-SRV-USG:launched_at'] === null;
  return OFF.includes(status) && server['OS-EXT-STS:power_state'] !== RUNNING && !server['OS-EXT-STS:task_state'];
}

/**
 * Asks Nova to shut a server down (`os-stop`, api-ref/compute "Stop Server"). `showServer` shows later that it is off.
 * @returns Nova's refusal when it cannot stop the server in its present state; undefined when Nova stops it, or when
 * there is no such server
 */
export async function stopServer(session: Session, id: string, options: CallOptions = {}): Promise<string | undefined> {
  const answer = await session.request({
    service: 'compute',
    method: 'POST',
    path: `servers/${encodeURIComponent(id)}/action`,
    json: { 'os-stop': null },
    expect: [202, 404, 409],
    ...options,
  });
  return answer.status === 409 ? serviceWords(answer).words : undefined;
}
