import type { Resource, Stack, StackEvent } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import { references } from '../../world/cloud/heat/dependencies.ts';
import type { Designer } from '../../world/cloud/heat/design.ts';
import { groupKindOf } from '../../world/cloud/heat/groups.ts';
import { printParameters } from '../../world/cloud/heat/parameters.ts';
import { isDeleted } from '../../world/cloud/heat/stack-store.ts';
import type { Json, JsonObject } from '../../world/cloud/json.ts';

/** Stacks, resources and events as Heat prints them. */
export interface StackViews {
  href(stack: Stack): string;
  row(stack: Stack): JsonObject;
  show(stack: Stack, at: { outputs: boolean }): JsonObject;
  outputs(stack: Stack): JsonObject[];
  /** The resources of a stack and of nested stacks down to `depth`; parents come first. */
  resources(stack: Stack, depth: number): JsonObject[];
  resource(stack: Stack, row: Resource, admin: boolean): JsonObject;
  /** @param nested whether the list includes nested stacks; each event then names its root stack */
  event(stack: Stack, event: StackEvent, nested: boolean): JsonObject;
}

export function createStackViews(foundation: Foundation, designer: Designer): StackViews {
  const { state, url } = foundation;
  const href = (stack: Stack) => `${url()}/heat-api/v1/${stack.projectId}/stacks/${stack.name}/${stack.id}`;

  const outputs = (stack: Stack): JsonObject[] => {
    if (stack.action === 'DELETE') return deletingOutputs(designer, stack);
    return designer
      .outputs(stack)
      .map(({ key, description, value }) => ({ output_key: key, description, output_value: value }));
  };

  const parameters = (stack: Stack): JsonObject => {
    const { template, parameters: values } = designer.design(stack.source);
    return {
      'OS::stack_id': stack.id,
      'OS::project_id': stack.projectId,
      'OS::stack_name': stack.name,
      ...printParameters(template, values),
    };
  };

  const neededBy = (stack: Stack): Map<string, string[]> => {
    const map = new Map<string, string[]>();
    if (stack.action === 'DELETE') return map; // Heat works on an empty template during a deletion, so no resource requires another
    for (const row of Object.values(stack.resources)) {
      for (const name of row.requires) {
        const list = map.get(name) ?? [];
        list.push(row.name);
        map.set(name, list);
      }
    }
    return map;
  };

  const describe = (stack: Stack, row: Resource, requiredBy: readonly string[]): JsonObject => {
    const nested = state.stacks[row.physicalId];
    return {
      updated_time: row.updatedAt,
      creation_time: row.createdAt,
      logical_resource_id: row.name,
      resource_name: row.name,
      physical_resource_id: row.physicalId,
      resource_status: `${row.action}_${row.progress}`,
      resource_status_reason: row.reason,
      resource_type: row.type,
      links: [
        { href: `${href(stack)}/resources/${row.name}`, rel: 'self' },
        { href: href(stack), rel: 'stack' },
        ...(nested ? [{ href: href(nested), rel: 'nested' }] : []),
      ],
      required_by: [...requiredBy],
      ...(stack.parentResource === null ? {} : { parent_resource: stack.parentResource }),
    };
  };

  const resources = (stack: Stack, depth: number): JsonObject[] => {
    let level = [stack];
    const found: JsonObject[] = [];
    for (let i = 0; i <= depth && level.length > 0; i++) {
      const next: Stack[] = [];
      for (const at of level) {
        const needers = neededBy(at);
        for (const row of Object.values(at.resources)) {
          found.push(describe(at, row, needers.get(row.name) ?? []));
          const nested = state.stacks[row.physicalId];
          if (nested) next.push(nested);
        }
      }
      level = next;
    }
    return found;
  };

  return {
    href,
    outputs,
    resources,
    row: (stack) => ({
      id: stack.id,
      links: [{ href: href(stack), rel: 'self' }],
      project: stack.projectId,
      stack_name: stack.name,
      description: designer.template(stack.source.template).description ?? '',
      stack_status: `${stack.action}_${stack.progress}`,
      stack_status_reason: stack.reason,
      creation_time: stack.createdAt,
      updated_time: stack.updatedAt,
      deletion_time: stack.deletedAt,
      stack_owner: stack.owner,
      parent: stack.parentId,
      stack_user_project_id: stack.userProjectId,
      tags: stack.tags.length > 0 ? [...stack.tags] : null,
    }),
    show: (stack, at) => {
      const description = designer.template(stack.source.template).description ?? 'No description';
      return {
        stack_name: stack.name,
        id: stack.id,
        links: [{ href: href(stack), rel: 'self' }],
        creation_time: stack.createdAt,
        updated_time: stack.updatedAt,
        deletion_time: stack.deletedAt,
        notification_topics: [],
        parameters: parameters(stack),
        description,
        template_description: description,
        capabilities: [],
        disable_rollback: stack.disableRollback,
        timeout_mins: stack.timeoutMins,
        stack_owner: stack.owner,
        parent: stack.parentId,
        stack_user_project_id: stack.userProjectId,
        tags: [...stack.tags],
        stack_status: `${stack.action}_${stack.progress}`,
        stack_status_reason: stack.reason,
        ...(at.outputs && !isDeleted(stack) ? { outputs: outputs(stack) } : {}),
      };
    },
    resource: (stack, row, admin) => ({
      ...describe(stack, row, neededBy(stack).get(row.name) ?? []),
      description: '',
      attributes: attributesOf(foundation, designer, { stack, row, admin }),
    }),
    event: (stack, event, nested) => {
      const root = state.stacks[stack.rootId] ?? stack;
      const resource = `${href(stack)}/resources/${event.name}`;
      return {
        id: event.id,
        links: [
          { href: `${resource}/events/${event.id}`, rel: 'self' },
          { href: resource, rel: 'resource' },
          { href: href(stack), rel: 'stack' },
          ...(nested ? [{ href: href(root), rel: 'root_stack' }] : []),
        ],
        event_time: event.at,
        logical_resource_id: event.name,
        resource_name: event.name,
        physical_resource_id: event.physicalId,
        resource_status: event.status,
        resource_status_reason: event.reason,
      };
    },
  };
}

/** A stack that is being deleted cannot evaluate its outputs. */
function deletingOutputs(designer: Designer, stack: Stack): JsonObject[] {
  const { template } = designer.design(stack.source);
  return Object.entries(template.outputs).map(([key, output]) => {
    const missing = references(output['value'] ?? null)[0];
    const description = typeof output['description'] === 'string' ? output['description'] : 'No description given';
    return {
      output_key: key,
      description,
      ...(missing === undefined
        ? {}
        : { output_error: `The specified reference "${missing}" (in unknown) is incorrect.` }),
      output_value: null,
    };
  });
}

const GROUP_ATTRIBUTES: JsonObject = {
  refs: null,
  outputs_list: null,
  refs_map: null,
  outputs: null,
  current_size: null,
};

function attributesOf(
  { state }: Foundation,
  designer: Designer,
  { stack, row, admin }: { stack: Stack; row: Resource; admin: boolean },
): JsonObject {
  if (groupKindOf(row.type)) return GROUP_ATTRIBUTES;
  const nested = state.stacks[row.physicalId];
  if (!nested || !designer.isNested(row.type, stack.source)) return designer.attributes(row, admin);
  return Object.fromEntries(designer.outputs(nested).map(({ key, value }): [string, Json] => [key, value]));
}
