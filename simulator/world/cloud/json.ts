/** JSON values as the APIs and the state files carry them. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object at `key`, or an empty one. */
export function objectAt(from: Json | undefined, key: string): JsonObject {
  const value = isObject(from) ? from[key] : undefined;
  return isObject(value) ? value : {};
}

export function stringAt(from: Json | undefined, key: string): string | undefined {
  const value = isObject(from) ? from[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function listAt(from: Json | undefined, key: string): Json[] {
  const value = isObject(from) ? from[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** Whether two values are deeply equal; the order of keys does not matter. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSameJson(a[key], b[key]));
}

/** Prints JSON like Python's json.dumps: with a space after each comma and colon. */
export function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** Prints a scalar like Python's str(), and a collection as JSON. */
export function pythonText(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'object') return pythonJson(value);
  return String(value);
}
