/** What a member of a step's input may be. */
interface Values {
  /** A node, before it exists and after that: `workerNode[1]`. */
  readonly slot: string;
  readonly slots: readonly string[];
  readonly text: string;
  readonly seconds: number;
  readonly flag: boolean;
}

/** A member with `?` may be absent. */
type Value = keyof Values | `${keyof Values}?`;

/**
 * The input of a kind of step: member → what it is. `slot` is the one node that a step is about, if it is about one;
 * the id of the step has it. The name of any other member says what the step does with its nodes.
 */
export type InputShape = Readonly<Record<string, Value>>;

type ValueOf<V> = V extends `${infer Name extends keyof Values}?`
  ? Values[Name] | undefined
  : V extends keyof Values
    ? Values[V]
    : never;

/** The type of the input that a shape describes. */
export type InputOf<Shape extends InputShape> = {
  readonly [M in keyof Shape as Shape[M] extends `${string}?` ? never : M]: ValueOf<Shape[M]>;
} & {
  readonly [M in keyof Shape as Shape[M] extends `${string}?` ? M : never]?: ValueOf<Shape[M]>;
} & ('slot' extends keyof Shape ? unknown : { readonly slot?: undefined });

const IS: { readonly [Name in keyof Values]: (value: unknown) => boolean } = {
  slot: isText,
  slots: (value) => Array.isArray(value) && value.every(isText),
  text: isText,
  seconds: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Whether a value may stand in a member of the input. */
export function isOfMember(member: Value, value: unknown): boolean {
  if (value === undefined) return member.endsWith('?');
  return IS[nameOf(member)](value);
}

/** Whether a member names nodes. */
export function namesNodes(member: Value): boolean {
  return ['slot', 'slots'].includes(nameOf(member));
}

function nameOf(member: Value): keyof Values {
  return member.replace('?', '') as keyof Values;
}
