import { VnflowError } from '../../domain/problems.ts';
import { checkAttributes } from './attributes.ts';
import type { SelectableResource } from './selectors.ts';

/** SOL013 5.2: `filter=(op,attr,value[,value…])[;(…)…]`; all expressions must hold. */
export interface FilterExpression {
  readonly operator: Operator;
  /** Names from the top; the last may be `@key`: the names of the members of a map. */
  readonly path: readonly string[];
  readonly values: readonly string[];
}

const ONE_VALUE = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;
const MANY_VALUES = ['in', 'nin', 'cont', 'ncont'] as const;
type Operator = (typeof ONE_VALUE)[number] | (typeof MANY_VALUES)[number];

/**
 * The filter of a list; without one, no expressions.
 * @throws VnflowError BAD_REQUEST when it cannot be read, or names what the resource must have and does not
 */
export function filterOf(query: URLSearchParams, { attributes }: SelectableResource): FilterExpression[] {
  const text = query.get('filter');
  if (text === null) return [];
  const expressions = parseFilter(text);
  const paths = expressions.map(({ path }) => path.join('/'));
  if (attributes) checkAttributes('filter', paths, attributes);
  return expressions;
}

/** @throws VnflowError BAD_REQUEST when it cannot be read */
function parseFilter(text: string): FilterExpression[] {
  const expressions: FilterExpression[] = [];
  let rest = text;
  for (;;) {
    const match = EXPRESSION.exec(rest);
    if (!match) throw createFilterProblem();
    expressions.push(expression(match[1] ?? '', match[2] ?? '', match[3] ?? ''));
    rest = rest.slice(match[0].length);
    if (rest === '') return expressions;
    if (!rest.startsWith(';')) throw createFilterProblem();
    rest = rest.slice(1);
  }
}

const VALUE = `(?:'(?:[^']|'')*'|[^',()]*)`;
const EXPRESSION = new RegExp(String.raw`^\(([a-z]+),([^,()]+)((?:,${VALUE})+)\)`);
const NEXT_VALUE = new RegExp(`^,(${VALUE})`);

function expression(operator: string, attribute: string, valueText: string): FilterExpression {
  const values: string[] = [];
  for (let rest = valueText; rest !== ''; ) {
    const match = NEXT_VALUE.exec(rest);
    if (!match) throw createFilterProblem();
    values.push(unquoted(match[1] ?? ''));
    rest = rest.slice(match[0].length);
  }
  if (!isOperator(operator)) throw createFilterProblem();
  if (ONE_VALUE.some((one) => one === operator) && values.length !== 1) throw createFilterProblem();
  return { operator, path: attribute.split('/').map(unescapedName), values };
}

function isOperator(text: string): text is Operator {
  return [...ONE_VALUE, ...MANY_VALUES].some((operator) => operator === text);
}

function unquoted(text: string): string {
  return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '~0': '~', '~1': '/', '~a': ',', '~b': '@' };

function unescapedName(name: string): string {
  if (name === '@key') return '@key';
  return name.replace(/~[01ab]/g, (escaped) => ESCAPES[escaped] ?? escaped);
}

function createFilterProblem(): VnflowError {
  return new VnflowError('BAD_REQUEST', {
    detail: 'filter: Attribute filter expression is invalid; it reads (op,attribute,value)[;(op,attribute,value)…].',
  });
}

/**
 * Whether an object matches a filter. A missing attribute never matches, whatever the operator (as in Tacker). An array
 * as the last value matches when one of its elements does.
 * @param options.entersArrays paths lead through arrays of objects, too (SOL013 5.2.2): Tacker's package API does so,
 * its v2 API does not
 * @param options.ignoresCase texts are equal when only the case of letters differs: Tacker's package API asks MySQL
 */
export function matchesFilter(
  expressions: readonly FilterExpression[],
  object: unknown,
  { entersArrays = false, ignoresCase = false }: FilterOptions = {},
): boolean {
  const fold = ignoresCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  return expressions.every(({ operator, path, values }) =>
    lookUp(object, path, entersArrays).some((one) => compare(operator, one, { values, fold })),
  );
}

interface FilterOptions {
  readonly entersArrays?: boolean;
  readonly ignoresCase?: boolean;
}

/** Every value that a path leads to; the elements of an array, not the array. */
function lookUp(at: unknown, [name, ...rest]: readonly string[], entersArrays: boolean): unknown[] {
  if (at === undefined || at === null) return [];
  if (name === undefined) return Array.isArray(at) ? at : [at];
  if (Array.isArray(at)) return entersArrays ? at.flatMap((element) => lookUp(element, [name, ...rest], true)) : [];
  if (typeof at !== 'object') return [];
  if (name === '@key') return Object.keys(at);
  return Object.hasOwn(at, name) ? lookUp((at as Record<string, unknown>)[name], rest, entersArrays) : [];
}

const COMPARISONS: Readonly<
  Record<Operator, (order: (value: string) => number, values: readonly string[]) => boolean>
> = {
  eq: (order, [value = '']) => order(value) === 0,
  neq: (order, [value = '']) => order(value) !== 0,
  gt: (order, [value = '']) => order(value) > 0,
  gte: (order, [value = '']) => order(value) >= 0,
  lt: (order, [value = '']) => order(value) < 0,
  lte: (order, [value = '']) => order(value) <= 0,
  in: (order, values) => values.some((value) => order(value) === 0),
  nin: (order, values) => values.every((value) => order(value) !== 0),
  cont: () => false,
  ncont: () => false,
};

/** Writes a text so that texts which count as equal are equal. */
type Fold = (text: string) => string;

function compare(
  operator: Operator,
  attribute: unknown,
  { values, fold }: { readonly values: readonly string[]; readonly fold: Fold },
): boolean {
  if (typeof attribute === 'object') return false;
  const text = fold(String(attribute));
  if (operator === 'cont') return values.some((value) => text.includes(fold(value)));
  if (operator === 'ncont') return values.every((value) => !text.includes(fold(value)));
  return COMPARISONS[operator]((value) => compareWithValue(attribute, value, fold), values);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/**
 * Compares an attribute with a value of the filter. Numbers and times are compared as such.
 * @returns a negative number when the attribute is less; NaN (equal to nothing) when the value is no number or time
 */
function compareWithValue(attribute: unknown, value: string, fold: Fold): number {
  if (typeof attribute === 'number') return attribute - (value.trim() === '' ? Number.NaN : Number(value));
  const text = String(attribute);
  if (TIME.test(text)) return milliseconds(text) - milliseconds(value);
  const [one, other] = [fold(text), fold(value)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A time without a zone is UTC. */
function milliseconds(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}
