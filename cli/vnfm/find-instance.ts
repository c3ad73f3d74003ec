import type { Vnfm } from './client.ts';
import { VnfInstances } from './contract.ts';
import { CliFailure, REFUSED } from './failure.ts';

/** The shortest part of an id that is taken for one. */
const SHORTEST_PREFIX = 4;

/**
 * Finds an instance by what a person types: its name, its id, or the beginning of its id (4 characters or more).
 * @returns its id
 * @throws CliFailure when there is none, or when there are several: it lists them
 */
export async function findInstance(vnfm: Vnfm, typed: string): Promise<string> {
  const instances = (await vnfm.request({ method: 'GET', path: '/vnflcm/v2/vnf_instances' })).read(VnfInstances);
  const byName = instances.filter(({ vnfInstanceName }) => vnfInstanceName === typed);
  const byId = instances.filter(({ id }) => typed.length >= SHORTEST_PREFIX && id.startsWith(typed));
  const found = [...new Map([...byName, ...byId].map((one) => [one.id, one])).values()];
  const [only] = found;
  if (only && found.length === 1) return only.id;
  if (found.length > 1) {
    const names = found.map(({ id, vnfInstanceName }) => `${id} ${vnfInstanceName ?? ''}`.trim());
    throw new CliFailure(`"${typed}" is more than one VNF instance: ${names.join(', ')}.`, REFUSED);
  }
  const names = instances.map(({ id, vnfInstanceName }) => vnfInstanceName ?? id).slice(0, 10);
  const others = names.length === 0 ? 'There is none in your project.' : `There are: ${names.join(', ')}.`;
  throw new CliFailure(`There is no VNF instance "${typed}". ${others}`, REFUSED);
}
