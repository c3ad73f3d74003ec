import { createHash } from 'node:crypto';
import { isObject, isSameJson, type Json, type JsonObject, pythonText } from '../json.ts';
import { Refusal } from '../refusal.ts';

/** Resolves the references of intrinsic functions. */
export interface Scope {
  parameter(name: string): Json;
  reference(resource: string): Json;
  attribute(resource: string, name: string, path: readonly Json[]): Json;
  file(name: string): string;
  condition(name: string): boolean;
}

/** The value does not exist yet, because its resource does not exist. Validation skips what depends on it. */
export class NotYet extends Error {}

type Intrinsic = (argument: Json, scope: Scope) => Json;

/** Evaluates a part of a template: replaces functions by their values and leaves unknown ones unchanged. */
export function evaluate(node: Json, scope: Scope): Json {
  if (Array.isArray(node)) return node.map((item) => evaluate(item, scope));
  if (!isObject(node)) return node;
  const entries = Object.entries(node);
  const [name, argument] = entries.length === 1 ? (entries[0] ?? []) : [];
  const intrinsic = name === undefined ? undefined : INTRINSICS[name];
  if (intrinsic && argument !== undefined) return intrinsic(argument, scope);
  return Object.fromEntries(entries.map(([key, item]) => [key, evaluate(item, scope)]));
}

/** Follows a path of keys and indices. @returns undefined when the path leads nowhere */
export function readPath(value: Json, path: readonly Json[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else if (isObject(at)) at = at[String(step)];
    else return undefined;
  }
  return at;
}

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  get_param: (argument, scope) => {
    const [name, ...path] = list(evaluate(argument, scope));
    return readPath(scope.parameter(String(name)), path) ?? '';
  },
  get_resource: (argument, scope) => scope.reference(String(evaluate(argument, scope))),
  get_attr: (argument, scope) => {
    const [resource, name, ...path] = list(evaluate(argument, scope));
    return scope.attribute(String(resource), name === undefined ? '' : String(name), path);
  },
  get_file: (argument, scope) => scope.file(String(evaluate(argument, scope))),
  list_join: (argument, scope) => {
    const [separator, ...lists] = list(evaluate(argument, scope));
    return lists.flatMap(list).map(text).join(String(separator));
  },
  list_concat: (argument, scope) => list(evaluate(argument, scope)).flatMap(list),
  list_concat_unique: (argument, scope) => unique(list(evaluate(argument, scope)).flatMap(list)),
  str_replace: (argument, scope) => replaceText(evaluate(argument, scope)),
  str_replace_strict: (argument, scope) => replaceText(evaluate(argument, scope)),
  str_replace_vstrict: (argument, scope) => replaceText(evaluate(argument, scope)),
  str_split: (argument, scope) => {
    const [separator, whole, index] = list(evaluate(argument, scope));
    const parts = text(whole ?? '').split(String(separator));
    return index === undefined ? parts : (parts[Number(index)] ?? '');
  },
  map_merge: (argument, scope) => Object.assign({}, ...list(evaluate(argument, scope)).filter(isObject)) as JsonObject,
  map_replace: (argument, scope) => {
    const [map, change] = list(evaluate(argument, scope));
    return replaceMap(isObject(map) ? map : {}, isObject(change) ? change : {});
  },
  repeat: (argument, scope) => repeat(argument, scope),
  digest: (argument, scope) => {
    const [algorithm, value] = list(evaluate(argument, scope));
    return createHash(String(algorithm))
      .update(text(value ?? ''))
      .digest('hex');
  },
  if: (argument, scope) => {
    const [condition, yes = null, no = null] = list(argument);
    return evaluate(isTrue(condition ?? null, scope) ? yes : no, scope);
  },
  equals: (argument, scope) => {
    const [a, b] = list(evaluate(argument, scope));
    return isSameJson(a, b);
  },
  not: (argument, scope) => !isTrue(argument, scope),
  and: (argument, scope) => list(argument).every((item) => isTrue(item, scope)),
  or: (argument, scope) => list(argument).some((item) => isTrue(item, scope)),
  contains: (argument, scope) => {
    const [needle, hay] = list(evaluate(argument, scope));
    if (typeof hay === 'string') return hay.includes(text(needle ?? ''));
    return list(hay ?? []).some((item) => isSameJson(item, needle));
  },
};

/** Whether a condition is true: a name of a condition, a boolean, or a function. */
export function isTrue(condition: Json, scope: Scope): boolean {
  if (typeof condition === 'string') return scope.condition(condition);
  const value = evaluate(condition, scope);
  return typeof value === 'string' ? ['true', 't', 'yes', 'on', '1'].includes(value.toLowerCase()) : Boolean(value);
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

function unique(items: readonly Json[]): Json[] {
  return items.filter((item, i) => items.findIndex((other) => isSameJson(other, item)) === i);
}

function text(value: Json): string {
  return pythonText(value);
}

/** str_replace: replaces the longest names first, and never inside a replaced text. */
function replaceText(argument: Json): Json {
  if (!isObject(argument)) throw createArgumentsRefusal('str_replace');
  const template = text(argument['template'] ?? '');
  const params = isObject(argument['params']) ? argument['params'] : {};
  const names = Object.keys(params)
    .filter((name) => name !== '')
    .sort((a, b) => b.length - a.length);
  if (names.length === 0) return template;
  const pattern = new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  return template.replace(pattern, (name) => text(params[name] ?? ''));
}

function replaceMap(map: JsonObject, change: JsonObject): JsonObject {
  const keys = isObject(change['keys']) ? change['keys'] : {};
  const values = isObject(change['values']) ? change['values'] : {};
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      text(keys[key] ?? key),
      typeof value === 'string' ? (values[value] ?? value) : value,
    ]),
  );
}

/** repeat: the template for each combination of the lists (`permutations: false`: for each index). */
function repeat(argument: Json, scope: Scope): Json {
  if (!isObject(argument)) throw createArgumentsRefusal('repeat');
  const forEach = evaluate(argument['for_each'] ?? {}, scope);
  const names = isObject(forEach) ? Object.keys(forEach) : [];
  const lists = names.map((name) => {
    const items = isObject(forEach) ? forEach[name] : undefined;
    return isObject(items) ? Object.keys(items) : list(items ?? []);
  });
  const rows = argument['permutations'] === false ? zip(lists) : product(lists);
  const template = argument['template'] ?? '';
  return rows.map((row) =>
    evaluate(substitute(template, new Map(names.map((name, i) => [name, row[i] ?? null]))), scope),
  );
}

function product(lists: readonly Json[][]): Json[][] {
  return lists.reduce<Json[][]>((rows, items) => rows.flatMap((row) => items.map((item) => [...row, item])), [[]]);
}

function zip(lists: readonly Json[][]): Json[][] {
  return (lists[0] ?? []).map((_, i) => lists.map((items) => items[i] ?? null));
}

function substitute(node: Json, values: ReadonlyMap<string, Json>): Json {
  if (typeof node === 'string') {
    const whole = values.get(node);
    if (whole !== undefined) return whole;
    let result = node;
    for (const [name, value] of values) result = result.replaceAll(name, text(value));
    return result;
  }
  if (Array.isArray(node)) return node.map((item) => substitute(item, values));
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, item]) => [String(substitute(key, values)), substitute(item, values)]),
  );
}

function createArgumentsRefusal(name: string): Refusal {
  return new Refusal(400, 'StackValidationFailed', `Arguments to "${name}" must be of type "dict"`);
}
