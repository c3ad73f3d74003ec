import type { Limits, ServerGroup } from '../domain/capacity.ts';
import { flavorsSchema, hypervisorsSchema, limitsSchema, serverGroupsSchema } from './schemas.ts';
import type { CallOptions, ServiceAnswer, Session } from './session.ts';

/** Statuses of Nova when its policy hides something from a user without the role admin. */
const HIDDEN = [403, 404];

function requestNova(session: Session, path: string, options: CallOptions): Promise<ServiceAnswer> {
  return session.request({ service: 'compute', method: 'GET', path, expect: [200, ...HIDDEN], ...options });
}

/** The quota and the usage of the project. @returns undefined when Nova hides them from this user */
export async function showLimits(session: Session, options: CallOptions = {}): Promise<Limits | undefined> {
  const answer = await requestNova(session, 'limits', options);
  if (answer.status !== 200) return undefined;
  const { absolute } = answer.read(limitsSchema).limits;
  return {
    most: { instances: absolute.maxTotalInstances, cores: absolute.maxTotalCores, ram: absolute.maxTotalRAMSize },
    used: { instances: absolute.totalInstancesUsed, cores: absolute.totalCoresUsed, ram: absolute.totalRAMUsed },
  };
}

/** Finds a flavor by name or id. @returns undefined when there is no such flavor */
export async function findFlavor(
  session: Session,
  nameOrId: string,
  options: CallOptions = {},
): Promise<{ readonly name: string; readonly cores: number; readonly ram: number } | undefined> {
  const answer = await requestNova(session, 'flavors/detail', options);
  if (answer.status !== 200) return undefined;
  const found = answer.read(flavorsSchema).flavors.find(({ id, name }) => id === nameOrId || name === nameOrId);
  return found && { name: found.name, cores: found.vcpus, ram: found.ram };
}

/** The server groups of the project. */
export async function listServerGroups(session: Session, options: CallOptions = {}): Promise<readonly ServerGroup[]> {
  const answer = await requestNova(session, 'os-server-groups', options);
  return answer.status === 200 ? answer.read(serverGroupsSchema).server_groups : [];
}

/**
 * Counts the compute hosts that take servers.
 * @returns undefined when Nova hides them: as a rule only an admin sees them
 */
export async function countHosts(session: Session, options: CallOptions = {}): Promise<number | undefined> {
  const answer = await requestNova(session, 'os-hypervisors', options);
  if (answer.status !== 200) return undefined;
  return answer
    .read(hypervisorsSchema)
    .hypervisors.filter(({ state, status }) => state !== 'down' && status !== 'disabled').length;
}
