import { type BaseHot, nestedTypeOf, readHot } from './hot.ts';

export const GROUP = 'OS::Heat::AutoScalingGroup';

/**
 * The scaling groups of a top HOT by the VDU whose servers are their members.
 * @throws VnflowError TEMPLATE_INVALID naming the file
 */
export function vduGroups({ topHot, files }: BaseHot): ReadonlyMap<string, string> {
  const groups = Object.entries(readHot(topHot).resources).flatMap(([name, resource]) => {
    const file = resource.type === GROUP ? nestedTypeOf(resource) : undefined;
    const text = file !== undefined && Object.hasOwn(files, file) ? files[file] : undefined;
    if (file === undefined || text === undefined) return [];
    const nested = Object.entries(readHot({ name: file, text }).resources);
    return nested.filter(([, { type }]) => type === 'OS::Nova::Server').map(([vduId]) => [vduId, name] as const);
  });
  return new Map(groups);
}
