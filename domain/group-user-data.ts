import { VnflowError } from './problems.ts';
import { writeYaml } from './safe-yaml.ts';
import { withExtManagedVirtualLinks } from './standard-user-data/ext-managed-links.ts';
import { createTemplateProblem, type Hot, type HotFile, type HotResource, readHot } from './standard-user-data/hot.ts';
import { checkNestedFiles } from './standard-user-data/hot-resources.ts';
import { checkNfv, type Nfv } from './standard-user-data/nfv.ts';
import { GROUP, vduGroups } from './standard-user-data/vdu-groups.ts';
import { filledNfv, readTopHot, type StackContent, type UserDataInput } from './standard-user-data.ts';

/**
 * Tacker's KubernetesClusterUserData of version 1 (tacker-lcm §6.5), built in: the servers of a VDU are the members of
 * an OS::Heat::AutoScalingGroup. It fills `nfv`, and every other parameter of the top HOT that `additionalParams` has
 * by that name. The size of a group is written into the template: Heat goes back to `desired_capacity` at each update
 * of the stack.
 * @throws VnflowError TEMPLATE_INVALID naming resource and file; BAD_REQUEST for a connection point without a network
 */
export function groupUserData(input: UserDataInput): StackContent {
  checkNestedFiles(input, readTopHot(input));
  const groups = vduGroups(input);
  const single = input.flavour.vdus.find(({ id }) => !groups.has(id));
  if (single === undefined) return stackOfGroups(input, groups);
  throw createTemplateProblem(
    `${input.topHot.name}: no ${GROUP} has members with the server ${single.id}, which KubernetesClusterUserData needs.`,
  );
}

/**
 * Tacker's DefaultUserData (tacker-lcm §6.3), built in: the servers of a VDU are the members of a group, or the one
 * resource of its name.
 * @throws VnflowError as `groupUserData`; BAD_REQUEST when the VDU of one resource shall have another number of servers
 */
export function defaultUserData(input: UserDataInput): StackContent {
  const top = readTopHot(input);
  checkNestedFiles(input, top);
  const groups = vduGroups(input);
  const { resources } = top;
  for (const { id } of input.flavour.vdus) {
    if (groups.has(id)) continue;
    if (!Object.hasOwn(resources, id)) {
      throw createTemplateProblem(`${input.topHot.name}: no resource has the name of the VDU ${id}.`);
    }
    const count = input.counts[id] ?? 0;
    if (count === 1) continue;
    throw new VnflowError('BAD_REQUEST', {
      detail: `additionalParams: DefaultUserData, which holds when no other user data is named, makes one server of ${id}, and the level has ${count}. Name StandardUserData (lcm-operation-user-data and lcm-operation-user-data-class).`,
    });
  }
  return stackOfGroups(input, groups);
}

function stackOfGroups(input: UserDataInput, groups: ReadonlyMap<string, string>): StackContent {
  const top = readTopHot(input);
  const sizes = input.flavour.vdus.flatMap(({ id }) => {
    const group = groups.get(id);
    if (group === undefined) return [];
    const count = input.counts[id] ?? 0;
    checkSize({ hot: top, hotName: input.topHot.name, group, vduId: id, count });
    return [[group, count] as const];
  });
  const hot = withExtManagedVirtualLinks(top, input.request.extManagedVirtualLinks ?? []);
  const nfv = withCapacities(filledNfv(hot, input), input.counts);
  checkNfv(nfv, input.topHot.name);
  const { additionalParams = {} } = input.request;
  const others = Object.keys(top.parameters ?? {})
    .filter((name) => name !== 'nfv' && additionalParams[name] !== undefined)
    .map((name) => [name, additionalParams[name]] as const);
  const capacities = sizes
    .map(([group, count]) => [`${group}_desired_capacity`, count] as const)
    .filter(([name]) => top.parameters?.[name] !== undefined);
  return {
    template: withGroupSizes({ name: input.topHot.name, text: writeYaml(hot) }, Object.fromEntries(sizes)),
    files: input.files,
    parameters: { ...Object.fromEntries([...capacities, ...others]), nfv },
  };
}

/** Packages for version 2 of the API ask for the size of a group as `desired_capacity` of its VDU. */
function withCapacities(nfv: Nfv, counts: UserDataInput['counts']): Nfv {
  const vdus = Object.entries(nfv['VDU'] ?? {}).map(([name, vdu]) => [
    name,
    'desired_capacity' in vdu ? { ...vdu, desired_capacity: vdu['desired_capacity'] ?? counts[name] ?? null } : vdu,
  ]);
  return nfv['VDU'] === undefined ? nfv : { ...nfv, VDU: Object.fromEntries(vdus) };
}

/**
 * A template whose groups have these sizes.
 * @param template as YAML or JSON text @param sizes by the name of the group
 */
export function withGroupSizes(template: HotFile, sizes: Readonly<Record<string, number>>): string {
  const hot = readHot(template);
  const resources = Object.entries(hot.resources).map(([name, resource]) => {
    const size = resource.type === GROUP && Object.hasOwn(sizes, name) ? sizes[name] : undefined;
    return [name, size === undefined ? resource : sized(resource, size)] as const;
  });
  return writeYaml({ ...hot, resources: Object.fromEntries(resources) });
}

/** Does the template order these sizes already? @param template as YAML or JSON text */
export function hasGroupSizes(template: HotFile, sizes: Readonly<Record<string, number>>): boolean {
  const { resources } = readHot(template);
  return Object.entries(sizes).every(([name, size]) => {
    const wanted = Object.hasOwn(resources, name) ? resources[name]?.properties?.['desired_capacity'] : undefined;
    return wanted === size;
  });
}

function sized(resource: HotResource, size: number): HotResource {
  return { ...resource, properties: { ...resource.properties, desired_capacity: size } };
}

interface WantedSize {
  readonly hot: Hot;
  readonly hotName: string;
  readonly group: string;
  readonly vduId: string;
  readonly count: number;
}

/**
 * Heat refuses a size that is not within the bounds of the group. Heat itself checks bounds that are not plain numbers.
 */
function checkSize({ hot, hotName, group, vduId, count }: WantedSize): void {
  const { min_size: least, max_size: most } = hot.resources[group]?.properties ?? {};
  const fits = (typeof least !== 'number' || count >= least) && (typeof most !== 'number' || count <= most);
  if (fits) return;
  throw new VnflowError('TEMPLATE_INVALID', {
    detail: `${hotName}, resource ${group}: the level has ${count} ${vduId}, but the group may have ${least} to ${most} members.`,
  });
}
