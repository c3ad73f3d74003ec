import type { Vnfm } from './client.ts';
import { type OpOcc, type Timeline, type TimelineStep, VnfInstances } from './contract.ts';
import { CliFailure, REFUSED } from './failure.ts';
import { listOpOccs } from './operations.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The shortest part of an id that is taken for one. */
const SHORTEST_PREFIX = 4;

/**
 * Finds an operation by what a person types: its id, the beginning of its id (4 characters or more), `@last` for the
 * newest one, or the name or id of an instance for its newest one.
 * @returns its id
 * @throws CliFailure when there is none, or when there are several: it lists them
 */
export async function findOperation(vnfm: Vnfm, typed: string): Promise<string> {
  if (UUID.test(typed)) return operationOrNewestOf(vnfm, typed);
  const opOccs = (await listOpOccs(vnfm)).toSorted((a, b) => b.startTime.localeCompare(a.startTime));
  if (typed === '@last') return theOne(opOccs.slice(0, 1), typed);
  const byId = typed.length >= SHORTEST_PREFIX ? opOccs.filter(({ id }) => id.startsWith(typed)) : [];
  if (byId.length > 0) return theOne(byId, typed);
  const instances = (await vnfm.request({ method: 'GET', path: '/vnflcm/v2/vnf_instances' })).read(VnfInstances);
  const named = instances.filter(
    ({ id, vnfInstanceName }) => vnfInstanceName === typed || (typed.length >= SHORTEST_PREFIX && id.startsWith(typed)),
  );
  if (named.length > 1) {
    const names = named.map(({ id, vnfInstanceName }) => `${id} ${vnfInstanceName ?? ''}`.trim());
    throw new CliFailure(`"${typed}" is more than one VNF instance: ${names.join(', ')}.`, REFUSED);
  }
  const newest = opOccs.find(({ vnfInstanceId }) => vnfInstanceId === named[0]?.id);
  return theOne(newest ? [newest] : [], typed);
}

/** A whole id may be that of an instance. An id that is neither is left to the API, which says so. */
async function operationOrNewestOf(vnfm: Vnfm, id: string): Promise<string> {
  const ofInstance = await listOpOccs(vnfm, id);
  const [newest] = ofInstance.toSorted((a, b) => b.startTime.localeCompare(a.startTime));
  return newest?.id ?? id;
}

function theOne(found: readonly OpOcc[], typed: string): string {
  const [only, ...others] = found;
  if (only && others.length === 0) return only.id;
  if (only) {
    const list = found.map(({ id, operation, operationState }) => `${id} ${operation} ${operationState}`);
    throw new CliFailure(`"${typed}" is more than one operation: ${list.join(', ')}.`, REFUSED);
  }
  throw new CliFailure(
    `There is no operation "${typed}": type its id, the first ${SHORTEST_PREFIX} characters of it, the name of an instance, or @last. \`vnflow ops\` lists them.`,
  );
}

/**
 * Finds a step of an operation by what a person types: its id, or the name or slot of a node for the newest step of
 * that node.
 * @throws CliFailure when there is none
 */
export function findStep({ id, steps }: Timeline, typed: string): TimelineStep {
  const ofNode = steps
    .filter(({ node, slot }) => node?.name === typed || slot === typed)
    .toSorted((a, b) => (b.startedAt ?? '').localeCompare(a.startedAt ?? ''));
  const step = steps.find((each) => each.id === typed) ?? ofNode[0];
  if (step) return step;
  throw new CliFailure(
    `The operation has no step or node "${typed.slice(0, 100)}". \`vnflow ops steps ${id}\` lists its steps.`,
  );
}
