import {
  type BaseHot,
  createTemplateProblem,
  type Hot,
  type HotFile,
  type HotResource,
  nestedTypeOf,
  readHot,
} from './hot.ts';
import { vduGroups } from './vdu-groups.ts';

/** VDU in a group in the top HOT is two deep; more than this is a loop of files that include each other. */
const MAX_NESTING = 5;

/**
 * What a request may name as `ssh_cp_name`, `nic_cp_name`, `cluster_cp_name`, `cluster_fip_name`.
 * @param vduId only what is in the top HOT itself or in the nested template of this VDU, or of the members of its
 * group; absent: everything
 * @returns resource name → Heat type; a nested resource hides the one above that has its name
 * @throws VnflowError TEMPLATE_INVALID naming the file
 */
export function hotResources(base: BaseHot, vduId?: string): Map<string, string> {
  return new Map([...walkedResources(base, vduId)].map(([name, { type }]) => [name, type]));
}

const VOLUME = 'OS::Cinder::Volume';
/** Properties of a volume that begins with content of another one, which as a rule is a system to boot. */
const MADE_FROM = ['image', 'snapshot_id', 'source_volid', 'backup_id'];

/**
 * The volumes that begin empty: those that servers of a VDU have besides the one that they boot from.
 * @returns names of the resources
 * @throws VnflowError TEMPLATE_INVALID naming the file
 */
export function dataVolumes(base: BaseHot, vduId: string): readonly string[] {
  return [...walkedResources(base, vduId)].flatMap(([name, resource]) => (isDataVolume(resource) ? [name] : []));
}

/** Whether a resource of a template is a volume that begins empty. */
export function isDataVolume({ type, properties }: Readonly<Record<string, unknown>>): boolean {
  return type === VOLUME && !MADE_FROM.some((member) => member in Object(properties));
}

function walkedResources(base: BaseHot, vduId?: string): Map<string, HotResource> {
  const top = readHot(base.topHot);
  const found = new Map(Object.entries(top.resources));
  const holder = vduId === undefined ? undefined : (vduGroups(base).get(vduId) ?? vduId);
  const walked = Object.entries(top.resources).filter(([name]) => holder === undefined || name === holder);
  for (const [name, resource] of walked) {
    const type = nestedTypeOf(resource);
    if (type !== undefined) collect(base, { type, usedBy: `${base.topHot.name}, resource ${name}`, depth: 1, found });
  }
  return found;
}

interface Walk {
  readonly type: string;
  readonly usedBy: string;
  readonly depth: number;
  readonly found: Map<string, HotResource>;
}

function collect(base: BaseHot, { type, usedBy, depth, found }: Walk): void {
  if (depth > MAX_NESTING) throw createTemplateProblem(`${usedBy}: templates are nested deeper than ${MAX_NESTING}.`);
  const { resources } = readHot(nestedFile(base, type, usedBy));
  for (const [name, resource] of Object.entries(resources)) {
    found.set(name, resource);
    const below = nestedTypeOf(resource);
    if (below !== undefined)
      collect(base, { type: below, usedBy: `${type}, resource ${name}`, depth: depth + 1, found });
  }
}

/** @throws VnflowError TEMPLATE_INVALID when the package has no such nested template */
function nestedFile({ topHot, files }: BaseHot, type: string, usedBy: string): HotFile {
  const text = Object.hasOwn(files, type) ? files[type] : undefined;
  const folder = topHot.name.slice(0, topHot.name.lastIndexOf('/') + 1);
  if (text === undefined) throw createTemplateProblem(`${usedBy}: its type ${type} is not a file in ${folder}nested/.`);
  return { name: `${folder}nested/${type}`, text };
}

/** Every nested template that the top HOT needs is there. */
export function checkNestedFiles(base: BaseHot, hot: Hot): void {
  for (const [name, resource] of Object.entries(hot.resources)) {
    const type = nestedTypeOf(resource);
    if (type !== undefined) nestedFile(base, type, `${base.topHot.name}, resource ${name}`);
  }
}
