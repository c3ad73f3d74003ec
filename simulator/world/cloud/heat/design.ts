import { createHash } from 'node:crypto';
import type { CloudState, Resource, Stack, StackSource } from '../cloud-state.ts';
import type { Foundation } from '../foundation.ts';
import type { Json, JsonObject } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { type Requirements, requirementsOf } from './dependencies.ts';
import { evaluate, isTrue, NotYet, readPath, type Scope } from './functions.ts';
import { GROUP_TYPES, groupAttribute, groupKindOf } from './groups.ts';
import { type Parameters, resolveParameters } from './parameters.ts';
import type { ResourceKind } from './resource-kind.ts';
import { serverAttribute } from './server-kind.ts';
import { type ResourceDefinition, readTemplate, type Template } from './template.ts';

/** The wanted state of a stack: its template with its parameters. */
export interface Design {
  readonly template: Template;
  readonly parameters: Parameters;
  /** The resources without those whose condition is false. */
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  readonly requirements: Requirements;
}

/** Reads templates and evaluates them against the living stack. */
export class Designer {
  readonly #state: CloudState;
  readonly #kinds: Readonly<Record<string, ResourceKind>>;
  /** Parsed templates by their keys. */
  readonly #parsed = new Map<string, Template>();

  constructor({ state }: Pick<Foundation, 'state'>, kinds: Readonly<Record<string, ResourceKind>>) {
    this.#state = state;
    this.#kinds = kinds;
  }

  template(key: string): Template {
    const known = this.#parsed.get(key) ?? readTemplate(this.#state.texts[key] ?? '');
    this.#parsed.set(key, known);
    return known;
  }

  /** Reads the design of a source. @throws Refusal when the template is invalid */
  design(source: StackSource): Design {
    const read = this.template(source.template);
    const parameters = resolveParameters(read, source);
    const scope = conditionScope(read, parameters);
    const resources = Object.fromEntries(
      Object.entries(read.resources).filter(([, { condition }]) => condition === undefined || isTrue(condition, scope)),
    );
    return { template: read, parameters, resources, requirements: requirementsOf(resources, read) };
  }

  /** Returns the file of a nested template. Undefined when the type is no nested template. */
  fileOf(type: string, source: StackSource): string | undefined {
    const file = source.registry[type] ?? type;
    return source.files[file] === undefined ? undefined : file;
  }

  isNested(type: string, source: StackSource): boolean {
    return (
      groupKindOf(type) !== undefined || (this.#kinds[type] === undefined && this.fileOf(type, source) !== undefined)
    );
  }

  scope(stack: Stack, of: Design): Scope {
    const ready = (name: string) => {
      const resource = stack.resources[name];
      const isMade = resource?.action !== 'CREATE' || resource.progress !== 'IN_PROGRESS';
      if (!resource || resource.physicalId === '' || !isMade) throw new NotYet(name);
      return resource;
    };
    const inner = conditionScope(of.template, of.parameters);
    return {
      parameter: (name) => pseudoParameter(stack, name) ?? inner.parameter(name),
      condition: inner.condition,
      reference: (name) => {
        if (!of.resources[name]) return null; // the condition of the resource is false
        const resource = ready(name);
        return this.#kinds[resource.type]?.reference?.(resource) ?? resource.physicalId;
      },
      attribute: (name, attribute, path) => {
        if (!of.resources[name]) return null;
        return this.#attributeOf(stack, ready(name), { name: attribute, path }) ?? null;
      },
      file: (name) => {
        const key = stack.source.files[name];
        if (key === undefined) {
          const message = `No content found in the "files" section for get_file path: ${name}`;
          throw new Refusal(400, 'StackValidationFailed', message);
        }
        return this.#state.texts[key] ?? '';
      },
    };
  }

  /** Returns the attributes that `resource show` prints. */
  attributes(resource: Resource, admin: boolean): JsonObject {
    const kind = this.#kinds[resource.type];
    return kind && resource.physicalId !== '' ? kind.attributes(resource, admin) : {};
  }

  outputs(stack: Stack): { key: string; description: string; value: Json }[] {
    const of = this.design(stack.source);
    const at = this.scope(stack, of);
    return Object.entries(of.template.outputs).flatMap(([key, output]) => {
      const condition = output['condition'];
      if (condition !== undefined && !isTrue(condition, at)) return [];
      const description = typeof output['description'] === 'string' ? output['description'] : 'No description given';
      return [{ key, description, value: valueOrNull(output['value'] ?? null, at) }];
    });
  }

  kind(type: string): ResourceKind | undefined {
    return this.#kinds[type];
  }

  /** Returns all resource types. */
  types(): string[] {
    return [...Object.keys(this.#kinds), ...Object.keys(GROUP_TYPES)].sort();
  }

  isFileName(type: string): boolean {
    return /\.(yaml|yml|template)$/.test(type) || /^(file|https?):/.test(type);
  }

  /** Stores a text. @returns its key */
  intern(text: string): string {
    const key = createHash('sha256').update(text).digest('hex').slice(0, 32);
    this.#state.texts[key] ??= text;
    return key;
  }

  /** Evaluates the properties of a resource; those without a value are left out. */
  properties(stack: Stack, of: Design, name: string): JsonObject {
    const definition = of.resources[name];
    const at = this.scope(stack, of);
    const entries = Object.entries(definition?.properties ?? {}).map(
      ([key, value]) =>
        // The definition of a group's member is evaluated here, with the group's own parameters.
        [key, evaluate(value, at)] as const,
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== null));
  }

  #attributeOf(stack: Stack, resource: Resource, at: { name: string; path: readonly Json[] }): Json | undefined {
    const nested = this.#state.stacks[resource.physicalId];
    if (groupKindOf(resource.type))
      return nested ? groupAttribute(nested, at, (member, name) => this.#memberOutput(member, name)) : undefined;
    if (this.isNested(resource.type, stack.source)) return nested ? this.#nestedAttribute(nested, at) : undefined;
    const found = this.attributes(resource, true);
    if (at.name === 'show' || at.name === '') return readPath(found, at.path);
    const special = resource.type === 'OS::Nova::Server' ? serverAttribute(found, at.name) : undefined;
    return readPath(special ?? found[at.name] ?? null, at.path);
  }

  #nestedAttribute(nested: Stack, { name, path }: { name: string; path: readonly Json[] }): Json | undefined {
    if (name === 'outputs') {
      return readPath(Object.fromEntries(this.outputs(nested).map(({ key, value }) => [key, value])), path);
    }
    const [, inner, attribute] = name.match(/^resource\.([^.]+)(?:\.(.+))?$/) ?? [];
    const resource = inner === undefined ? undefined : nested.resources[inner];
    if (resource) {
      if (attribute === undefined && path.length === 0) return resource.physicalId;
      const [first = '', ...rest] = attribute === undefined ? path : [attribute, ...path];
      return this.#attributeOf(nested, resource, { name: String(first), path: rest });
    }
    return readPath(this.#outputOf(nested, name) ?? null, path);
  }

  /** Reads an output of a nested member, or an attribute of a plain one. */
  #memberOutput(member: string, name: string): Json | undefined {
    const inner = this.#state.stacks[member];
    return inner ? this.#outputOf(inner, name) : undefined;
  }

  #outputOf(nested: Stack, name: string): Json | undefined {
    return this.outputs(nested).find(({ key }) => key === name)?.value;
  }
}

function valueOrNull(node: Json, scope: Scope): Json {
  try {
    return evaluate(node, scope);
  } catch (error) {
    if (error instanceof NotYet || error instanceof Refusal) return null;
    throw error;
  }
}

function pseudoParameter(stack: Stack, name: string): Json | undefined {
  if (name === 'OS::stack_name') return stack.name;
  if (name === 'OS::stack_id') return stack.id;
  if (name === 'OS::project_id') return stack.projectId;
  return undefined;
}

/** The scope of conditions: parameters and other conditions. */
function conditionScope(template: Template, parameters: Parameters): Scope {
  const never = (name: string): Json => {
    throw new NotYet(name);
  };
  const scope: Scope = {
    parameter: (name) => {
      const value = parameters[name];
      if (value !== undefined) return value;
      if (name.startsWith('OS::')) throw new NotYet(name);
      throw new Refusal(400, 'InvalidTemplateParameter', `The Parameter (${name}) was not defined in template.`);
    },
    reference: never,
    attribute: never,
    file: never as (name: string) => string,
    condition: (name) => {
      const condition = template.conditions[name];
      if (condition === undefined) {
        throw new Refusal(400, 'StackValidationFailed', `Invalid condition name "${name}"`);
      }
      return isTrue(condition, scope);
    },
  };
  return scope;
}
