import type { KubeObject } from '../../world/cluster/clusters.ts';
import { type Kind, kindOf } from '../../world/cluster/kinds.ts';
import { objectsOf } from '../../world/cluster/objects.ts';
import { type Arguments, type CommandContext, failure, type Output } from '../shell/command.ts';
import type { Connection } from './connection.ts';
import { matchesFields, matchesLabels } from './selection.ts';

/** What a kubectl command works with: its machine, its connection and its options. */
export interface Scope {
  readonly context: CommandContext;
  readonly connection: Connection;
  readonly parsed: Arguments;
  readonly namespace: string;
}

/** kubectl's message about an object that does not exist. */
export function notFound({ plural, group }: Kind, name: string): Output {
  return failure(
    1,
    `Error from server (NotFound): ${group === '' ? plural : `${plural}.${group}`} "${name}" not found`,
  );
}

/** One `TYPE [NAME…]` or `TYPE/NAME`. The name is undefined when all objects of the type are meant. */
interface Target {
  readonly kind: Kind;
  readonly name: string | undefined;
}

/** Parses operands. @returns the targets, or kubectl's error message */
export function targets(operands: readonly string[]): readonly Target[] | Output {
  const unknown = (word: string) => failure(1, `error: the server doesn't have a resource type "${word}"`);
  if (operands.length === 0) return failure(1, 'error: Required resource not specified.');
  if (operands.every((operand) => operand.includes('/'))) {
    const pairs = operands.map((operand) => ({
      kind: kindOf(operand.split('/')[0] ?? ''),
      name: operand.slice(operand.indexOf('/') + 1),
    }));
    const missing = pairs.findIndex(({ kind }) => !kind);
    if (missing >= 0) return unknown(operands[missing]?.split('/')[0] ?? '');
    return pairs.flatMap(({ kind, name }) => (kind ? [{ kind, name }] : []));
  }
  const [types = '', ...names] = operands;
  const kinds = types.split(',').map((word) => ({ word, kind: kindOf(word) }));
  const missing = kinds.find(({ kind }) => !kind);
  if (missing) return unknown(missing.word);
  const wanted: readonly (string | undefined)[] = names.length > 0 ? names : [undefined];
  return kinds.flatMap(({ kind }) => (kind ? wanted.map((name): Target => ({ kind, name })) : []));
}

export function isOutput(value: readonly Target[] | Output): value is Output {
  return !Array.isArray(value);
}

/** Selects the objects of a kind by selectors, namespace and name. */
export function select(
  kind: Kind,
  name: string | undefined,
  { context, connection, parsed, namespace }: Scope,
): readonly KubeObject[] {
  const everywhere = parsed.has('-A', '--all-namespaces');
  const labels = parsed.value('-l', '--selector') ?? '';
  const fields = parsed.value('--field-selector') ?? '';
  return objectsOf(context.world, connection.cluster, kind).filter(
    (object) =>
      (!kind.namespaced || everywhere || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      matchesLabels(object.metadata.labels ?? {}, labels) &&
      matchesFields(object, fields),
  );
}
