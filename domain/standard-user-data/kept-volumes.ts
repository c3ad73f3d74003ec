import { readYaml, writeYaml } from '../safe-yaml.ts';
import { isDataVolume } from './hot-resources.ts';

/** The templates of a stack, as Heat gives them. */
export interface StackTemplates {
  readonly template: Readonly<Record<string, unknown>>;
  /** Nested templates by file name. */
  readonly files: Readonly<Record<string, string>>;
}

/** `deletion_policy` that leaves the thing in the cloud when its resource is deleted. Every version of Heat has it. */
const RETAIN = 'Retain';
/** The first version of templates that has `external_id`. Names of later releases come after all dates. */
const WITH_EXTERNAL_ID = '2016-10-14';

type Resource = Readonly<Record<string, unknown>>;
type Edit = (name: string, resource: Resource) => Resource;

/** The names of the data volumes that Heat would delete together with the stack. */
export function deletedVolumes(templates: StackTemplates): string[] {
  const names: string[] = [];
  editVolumes(templates, (name, resource) => {
    if (resource['external_id'] === undefined && resource['deletion_policy'] !== RETAIN) names.push(name);
    return resource;
  });
  return names;
}

/** Lets the data volumes stay when the stack is deleted. */
export function retainVolumes(templates: StackTemplates): StackTemplates {
  return editVolumes(templates, (_, resource) =>
    resource['external_id'] === undefined ? { ...resource, deletion_policy: RETAIN } : resource,
  );
}

/**
 * Lets a new stack use volumes that are there. Heat neither changes nor deletes them.
 * @param ids of the volumes, by the name of the resource
 */
export function adoptVolumes(templates: StackTemplates, ids: Readonly<Record<string, string>>): StackTemplates {
  return editVolumes(templates, (name, resource) =>
    ids[name] === undefined ? resource : { type: resource['type'], external_id: ids[name] },
  );
}

function editVolumes({ template, files }: StackTemplates, edit: Edit): StackTemplates {
  return {
    template: edited(template, edit) ?? template,
    files: Object.fromEntries(
      Object.entries(files).map(([name, text]) => {
        const changed = edited(readYaml(text), edit);
        return [name, changed === undefined ? text : writeYaml(changed)];
      }),
    ),
  };
}

/** Undefined when the template has no data volume that the edit changes. */
function edited(template: unknown, edit: Edit): Record<string, unknown> | undefined {
  if (!isRecord(template) || !isRecord(template['resources'])) return undefined;
  const resources = template['resources'];
  const changes = Object.entries(resources).flatMap(([name, resource]) => {
    if (!isRecord(resource) || !isDataVolume(resource)) return [];
    const changed = edit(name, resource);
    return changed === resource ? [] : [[name, changed] as const];
  });
  if (changes.length === 0) return undefined;
  const version = String(template['heat_template_version']);
  const needsNewer = changes.some(([, { external_id }]) => external_id !== undefined) && version < WITH_EXTERNAL_ID;
  return {
    ...template,
    ...(needsNewer ? { heat_template_version: WITH_EXTERNAL_ID } : {}),
    resources: { ...resources, ...Object.fromEntries(changes) },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
