import type { StackSource } from '../cloud-state.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { NetworkStore } from '../neutron/network-store.ts';
import type { ComputeStore } from '../nova/compute-store.ts';
import { Refusal } from '../refusal.ts';
import type { Design, Designer } from './design.ts';
import { evaluate, NotYet, type Scope } from './functions.ts';
import { GROUP_PROPERTIES, groupKindOf, sizeProblem } from './groups.ts';
import type { PropertyRule } from './resource-kind.ts';
import type { ResourceDefinition } from './template.ts';

/** The deepest nesting of stacks. */
const DEEPEST = 5;

export interface Validator {
  /** Checks the template of a root stack before it is accepted. @throws Refusal 400, 500 */
  check(source: StackSource, projectId: string): Design;
  /** Returns Heat's message about an invalid name in a property. Undefined when the name is valid. */
  nameProblem(kind: NonNullable<PropertyRule['names']>, value: string, projectId: string): string | undefined;
}

export function createValidator(designer: Designer, network: NetworkStore, compute: ComputeStore): Validator {
  const nameProblem: Validator['nameProblem'] = (kind, value, projectId) => {
    switch (kind) {
      case 'flavor':
        return compute.findFlavor(value) ? undefined : `No Flavor found for ${value}`;
      case 'image':
        return compute.findImage(value, projectId) ? undefined : `No images matching {'name': '${value}'}.`;
      case 'network':
        return network.findNetwork(value, projectId) ? undefined : `Unable to find network with name or id '${value}'`;
      case 'subnet':
        return network.findSubnet(value, projectId) ? undefined : `Unable to find subnet with name or id '${value}'`;
    }
  };

  const checkNested = (source: StackSource, name: string, type: string, isGroup: boolean, depth = 1) => {
    if (depth > DEEPEST) throw createValidationRefusal(`Recursion depth exceeds ${DEEPEST}.`);
    const file = designer.fileOf(type, source);
    const prefix = isGroup ? `resources.${name}<nested_stack>: : ` : '';
    if (file === undefined) {
      if (!designer.isFileName(type)) throw createValidationRefusal(`The Resource Type (${type}) could not be found.`);
      throw createValidationRefusal(`${prefix}Could not fetch remote template "${type}": Invalid URL scheme `);
    }
    const inner = designer.template(source.files[file] ?? '');
    for (const { type: innerType } of Object.values(inner.resources)) {
      if (!designer.kind(innerType) && !groupKindOf(innerType))
        checkNested(source, name, innerType, isGroup, depth + 1);
    }
  };

  const checkResource = (
    source: StackSource,
    name: string,
    at: { definition: ResourceDefinition; scope: Scope; projectId: string },
  ) => {
    const { type, properties } = at.definition;
    const group = groupKindOf(type);
    if (group) {
      refuseUnknown(name, properties, GROUP_PROPERTIES[group]);
      const member = properties[group === 'ResourceGroup' ? 'resource_def' : 'resource'];
      const memberType = isObject(member) && typeof member['type'] === 'string' ? member['type'] : undefined;
      if (memberType === undefined)
        throw createPropertyRefusal(`resources.${name}.properties`, 'Property resource not assigned');
      if (!designer.kind(memberType)) checkNested(source, name, memberType, true);
      if (group === 'AutoScalingGroup') checkSizes(name, properties, at.scope);
      return;
    }
    const kind = designer.kind(type);
    if (!kind) {
      checkNested(source, name, type, false);
      return;
    }
    refuseUnknown(name, properties, Object.keys(kind.properties));
    for (const [property, rule] of Object.entries(kind.properties)) {
      const given = properties[property];
      if (given === undefined) {
        if (rule.required)
          throw createPropertyRefusal(`resources.${name}.properties`, `Property ${property} not assigned`);
        continue;
      }
      const value = evaluateEarly(given, at.scope);
      if (rule.names === undefined || (typeof value !== 'string' && typeof value !== 'number')) continue;
      const problem = nameProblem(rule.names, String(value), at.projectId);
      if (problem)
        throw createPropertyRefusal(
          `resources.${name}.properties.${property}`,
          `Error validating value '${value}': ${problem}`,
        );
    }
  };

  const checkSizes = (name: string, properties: JsonObject, scope: Scope) => {
    const sizes = Object.fromEntries(
      ['min_size', 'max_size', 'desired_capacity'].map((key) => [
        key,
        evaluateEarly(properties[key] ?? null, scope) ?? null,
      ]),
    );
    for (const key of ['min_size', 'max_size']) {
      if (properties[key] === undefined)
        throw createPropertyRefusal(`resources.${name}.properties`, `Property ${key} not assigned`);
    }
    const problem = sizeProblem(sizes);
    if (problem) throw createValidationRefusal(problem);
  };

  return {
    nameProblem,
    check: (source, projectId) => {
      const design = designer.design(source);
      const scope = staticScope(design);
      for (const [name, definition] of Object.entries(design.resources)) {
        checkResource(source, name, { definition, scope, projectId });
      }
      return design;
    },
  };
}

function createValidationRefusal(message: string): Refusal {
  return new Refusal(400, 'StackValidationFailed', message);
}

function createPropertyRefusal(place: string, why: string): Refusal {
  return createValidationRefusal(`Property error: : ${place}: : ${why}`);
}

function refuseUnknown(name: string, properties: JsonObject, allowed: readonly string[]): void {
  for (const property of Object.keys(properties)) {
    if (!allowed.includes(property))
      throw createPropertyRefusal(`resources.${name}.properties`, `Unknown Property ${property}`);
  }
}

/** Returns the value when it follows from the parameters alone, else undefined. */
function evaluateEarly(node: Json, scope: Scope): Json | undefined {
  try {
    return evaluate(node, scope);
  } catch (error) {
    if (error instanceof NotYet) return undefined;
    throw error;
  }
}

function staticScope(design: Design): Scope {
  const notYet = (name: string): never => {
    throw new NotYet(name);
  };
  return {
    parameter: (name) => {
      const value = design.parameters[name];
      if (value !== undefined) return value;
      if (name.startsWith('OS::')) return notYet(name);
      throw new Refusal(400, 'InvalidTemplateParameter', `The Parameter (${name}) was not defined in template.`);
    },
    reference: notYet,
    attribute: notYet,
    file: notYet,
    condition: () => notYet('condition'),
  };
}
