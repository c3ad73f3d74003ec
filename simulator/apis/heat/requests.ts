import { parse } from 'yaml';
import type { StackSource } from '../../world/cloud/cloud-state.ts';
import type { Designer } from '../../world/cloud/heat/design.ts';
import { readTemplate } from '../../world/cloud/heat/template.ts';
import { isObject, type Json, type JsonObject, objectAt, stringAt } from '../../world/cloud/json.ts';
import { Refusal } from '../../world/cloud/refusal.ts';

/** Options of a stack in a request body, without its source. */
export interface StackOptions {
  readonly disableRollback: boolean | undefined;
  readonly timeoutMins: number | undefined;
  readonly tags: string[] | undefined;
}

export function readOptions(body: JsonObject): StackOptions {
  const rollback = body['disable_rollback'];
  const timeout = body['timeout_mins'];
  const tags = body['tags'];
  return {
    disableRollback:
      rollback === undefined || rollback === null ? undefined : String(rollback).toLowerCase() === 'true',
    timeoutMins: readTimeout(timeout),
    tags: typeof tags === 'string' && tags !== '' ? tags.split(',') : undefined,
  };
}

function readTimeout(given: Json | undefined): number | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const minutes = Number(given);
  if (!Number.isInteger(minutes) || minutes <= 0) {
    throw new Refusal(
      400,
      'HTTPBadRequest',
      `timeout_mins: Invalid value ${given}. Only positive integers are allowed`,
    );
  }
  return minutes;
}

/**
 * Reads the source of a stack from a create or update request.
 * @param existing the present source, of which PATCH keeps parts; undefined for POST and PUT
 */
export function readSource(designer: Designer, body: JsonObject, existing?: StackSource): StackSource {
  const environment = readEnvironment(body['environment']);
  const parameters = {
    ...(existing && !Array.isArray(body['clear_parameters'])
      ? existing.parameters
      : keep(existing, body['clear_parameters'])),
    ...objectAt(environment, 'parameters'),
    ...objectAt(body, 'parameters'),
  };
  const files = Object.fromEntries(
    Object.entries(objectAt(body, 'files')).map(([name, text]) => [
      name,
      designer.intern(typeof text === 'string' ? text : JSON.stringify(text)),
    ]),
  );
  return {
    template: readTemplateKey(designer, body['template'], existing),
    files: { ...existing?.files, ...files },
    parameters: withoutNulls(parameters),
    parameterDefaults: { ...existing?.parameterDefaults, ...objectAt(environment, 'parameter_defaults') },
    registry: { ...existing?.registry, ...readRegistry(environment) },
  };
}

function keep(existing: StackSource | undefined, cleared: Json | undefined): Record<string, Json> {
  const names = Array.isArray(cleared) ? cleared.map(String) : [];
  return Object.fromEntries(Object.entries(existing?.parameters ?? {}).filter(([name]) => !names.includes(name)));
}

function withoutNulls(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function readTemplateKey(designer: Designer, given: Json | undefined, existing: StackSource | undefined): string {
  const isGiven =
    given !== undefined && given !== null && given !== '' && !(isObject(given) && Object.keys(given).length === 0);
  if (!isGiven) {
    if (existing) return existing.template;
    throw new Refusal(400, 'HTTPBadRequest', 'No template specified');
  }
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  readTemplate(text); // an invalid template is refused before any text is kept
  return designer.intern(text);
}

function readEnvironment(given: Json | undefined): JsonObject {
  if (given === undefined || given === null || given === '') return {};
  if (typeof given !== 'string') return isObject(given) ? given : {};
  try {
    const parsed = parse(given, { maxAliasCount: 50 }) as Json;
    return isObject(parsed) ? parsed : {};
  } catch {
    throw new Refusal(400, 'HTTPBadRequest', 'Environment not in valid format: Error parsing template');
  }
}

function readRegistry(environment: JsonObject): Record<string, string> {
  const registry = objectAt(environment, 'resource_registry');
  return Object.fromEntries(
    Object.keys(registry).flatMap((type) => {
      const file = stringAt(registry, type);
      return file === undefined ? [] : [[type, file]];
    }),
  );
}

/** @throws Refusal 400 for a name that Heat does not accept */
export function checkStackName(name: Json | undefined): string {
  if (typeof name === 'string' && /^[A-Za-z][\w.-]{0,254}$/.test(name)) return name;
  const message = `Invalid stack name ${name} must contain only alphanumeric or "_-." characters, must start with alpha and must be 255 characters or less.`;
  throw new Refusal(400, 'StackValidationFailed', message);
}
