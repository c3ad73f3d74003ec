import type { StackSource } from '../cloud-state.ts';
import { isObject, type Json, type JsonObject, pythonJson, pythonText } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Template } from './template.ts';

/** The values of a template's parameters by name, in their own types. */
export type Parameters = Readonly<Record<string, Json>>;

/** Returns the values of all declared parameters. @throws Refusal 400 UserParameterMissing, StackValidationFailed */
export function resolveParameters(
  template: Template,
  source: Pick<StackSource, 'parameters' | 'parameterDefaults'>,
): Parameters {
  const values: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(template.parameters)) {
    const given = source.parameters[name] ?? source.parameterDefaults[name] ?? schema['default'];
    if (given === undefined || given === null) {
      throw new Refusal(400, 'UserParameterMissing', `The Parameter (${name}) was not provided.`);
    }
    values[name] = convert(name, schema, given);
    checkConstraints(name, schema, values[name]);
  }
  return values;
}

/** Refuses parameters that the template does not declare, for PUT and POST. @throws Refusal 400 */
export function refuseUnknown(template: Template, given: JsonObject): void {
  for (const name of Object.keys(given)) {
    if (!template.parameters[name]) {
      throw new Refusal(400, 'UnknownUserParameter', `The Parameter (${name}) was not defined in template.`);
    }
  }
}

/** Prints parameters like `stack show`: always as text, json parameters as JSON. */
export function printParameters(template: Template, values: Parameters): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const schema = template.parameters[name] ?? {};
      if (schema['hidden'] === true) return [name, '******'];
      if (schema['type'] === 'json') return [name, pythonJson(value)];
      if (schema['type'] === 'comma_delimited_list' && Array.isArray(value))
        return [name, value.map(pythonText).join(',')];
      return [name, pythonText(value)];
    }),
  );
}

function convert(name: string, schema: JsonObject, given: Json): Json {
  switch (schema['type']) {
    case 'json':
      return toJson(name, given);
    case 'number':
      return toNumber(name, given);
    case 'boolean':
      return toBoolean(name, given);
    case 'comma_delimited_list':
      if (Array.isArray(given)) return given;
      return String(given) === ''
        ? []
        : String(given)
            .split(',')
            .map((item) => item.trim());
    default:
      return pythonText(given);
  }
}

function toJson(name: string, given: Json): Json {
  if (typeof given !== 'string') return given;
  if (given === '') return {};
  try {
    return JSON.parse(given) as Json;
  } catch {
    throw createParameterRefusal(name, `Value must be valid JSON: ${given.slice(0, 100)}`);
  }
}

function toNumber(name: string, given: Json): number {
  const number = typeof given === 'number' ? given : Number(given === '' ? Number.NaN : given);
  if (Number.isNaN(number)) throw createParameterRefusal(name, `could not convert string to float: '${given}'`);
  return number;
}

function toBoolean(name: string, given: Json): boolean {
  if (typeof given === 'boolean') return given;
  const word = String(given).toLowerCase();
  if (['t', 'true', 'on', 'y', 'yes', '1'].includes(word)) return true;
  if (['f', 'false', 'off', 'n', 'no', '0'].includes(word)) return false;
  throw createParameterRefusal(
    name,
    `Unrecognized value '${given}', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`,
  );
}

function createParameterRefusal(name: string, why: string): Refusal {
  return new Refusal(400, 'StackValidationFailed', `Parameter '${name}' is invalid: ${why}`);
}

function checkConstraints(name: string, schema: JsonObject, value: Json): void {
  const constraints = Array.isArray(schema['constraints']) ? schema['constraints'] : [];
  for (const constraint of constraints) {
    if (!isObject(constraint)) continue;
    for (const [kind, limit] of Object.entries(constraint)) {
      const why = CHECKS[kind]?.(value, limit);
      if (why !== undefined)
        throw createParameterRefusal(
          name,
          typeof constraint['description'] === 'string' ? constraint['description'] : why,
        );
    }
  }
}

type Check = (value: Json, limit: Json) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  length: (value, limit) => {
    const size = Array.isArray(value)
      ? value.length
      : isObject(value)
        ? Object.keys(value).length
        : String(value).length;
    return isOutside(size, limit)
      ? `length (${size}) is out of range (min: ${printBound(limit, 'min')}, max: ${printBound(limit, 'max')})`
      : undefined;
  },
  range: (value, limit) =>
    isOutside(Number(value), limit)
      ? `${value} is out of range (min: ${printBound(limit, 'min')}, max: ${printBound(limit, 'max')})`
      : undefined,
  allowed_values: (value, limit) => {
    const allowed = Array.isArray(limit) ? limit : [];
    const values = Array.isArray(value) ? value : [value];
    return values.every((item) => allowed.some((one) => String(one) === String(item)))
      ? undefined
      : `"${pythonText(value)}" is not an allowed value ${pythonJson(allowed)}`;
  },
  allowed_pattern: (value, limit) => {
    const matches = isSafePattern(String(limit)) ? new RegExp(`^(?:${limit})`).test(String(value)) : true;
    return matches ? undefined : `"${value}" does not match pattern "${limit}"`;
  },
};

/** Whether a pattern is safe to run. One with nested quantifiers could block the simulator, so it counts as matched. */
function isSafePattern(pattern: string): boolean {
  if (/[+*}]\)?[+*{]/.test(pattern) || pattern.length > 200) return false;
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

function printBound(limit: Json, side: 'min' | 'max'): string {
  const value = isObject(limit) ? limit[side] : undefined;
  return value === undefined || value === null ? 'None' : String(value);
}

function isOutside(value: number, limit: Json): boolean {
  if (!isObject(limit)) return false;
  const [min, max] = [limit['min'], limit['max']];
  return (min != null && value < Number(min)) || (max != null && value > Number(max));
}
