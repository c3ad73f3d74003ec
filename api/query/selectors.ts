import { VnflowError } from '../../domain/problems.ts';
import { checkAttributes } from './attributes.ts';

type Free = Record<string, unknown>;

/** What the selectors of a resource refer to. */
export interface SelectableResource {
  /** Attributes that an answer has only when a selector names them. */
  readonly excludedByDefault: readonly string[];
  /** Attributes that an answer always has. */
  readonly mandatory: readonly string[];
  /** All attributes, where a query that names another one is refused, as in Tacker's old framework. */
  readonly attributes?: readonly string[];
}

/**
 * SOL013 5.3, with Tacker's meaning.
 * @throws VnflowError BAD_REQUEST for combinations that make no sense, and for names that are no attributes
 */
export function createSelector(query: URLSearchParams, resource: SelectableResource): (object: Free) => Free {
  const allFields = query.has('all_fields');
  const excludeDefault = query.has('exclude_default');
  const fields = namesOf(query, 'fields');
  const excluded = namesOf(query, 'exclude_fields');
  const wrong =
    (allFields && (fields || excluded || excludeDefault)) || (excluded !== undefined && (fields || excludeDefault));
  if (wrong) {
    throw new VnflowError('BAD_REQUEST', {
      detail: 'all_fields and exclude_fields cannot be combined with other attribute selectors.',
    });
  }
  if (resource.attributes) {
    checkAttributes('fields', fields ?? [], resource.attributes);
    checkAttributes('exclude_fields', excluded ?? [], resource.attributes);
  }
  if (allFields) return (object) => object;
  if (excluded) return (object) => withoutPaths(object, excluded);
  if (fields && !excludeDefault) return (object) => onlyPaths(object, [...resource.mandatory, '_links', ...fields]);
  const defaults = resource.excludedByDefault.filter((name) => !fields?.some((field) => head(field) === name));
  return (object) => withoutPaths(object, defaults);
}

function namesOf(query: URLSearchParams, name: string): string[] | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text.split(',').filter((field) => field !== '');
}

function head(path: string): string {
  return path.split('/')[0] ?? path;
}

function tails(paths: readonly string[], name: string): string[] {
  return paths.filter((path) => path.startsWith(`${name}/`)).map((path) => path.slice(name.length + 1));
}

function onlyPaths(object: Free, paths: readonly string[]): Free {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      if (paths.includes(name)) return [[name, value]];
      const deeper = tails(paths, name);
      if (deeper.length === 0) return [];
      return [[name, mapMembers(value, (member) => onlyPaths(member, deeper))]];
    }),
  );
}

function withoutPaths(object: Free, paths: readonly string[]): Free {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      if (name === '_links') return [[name, value]];
      if (paths.includes(name)) return [];
      const deeper = tails(paths, name);
      return [[name, deeper.length === 0 ? value : mapMembers(value, (member) => withoutPaths(member, deeper))]];
    }),
  );
}

function mapMembers(value: unknown, change: (member: Free) => Free): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapMembers(item, change));
  return typeof value === 'object' && value !== null ? change(value as Free) : value;
}
