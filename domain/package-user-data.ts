import { z } from 'zod';
import { withGroupSizes } from './group-user-data.ts';
import { mergePatch } from './merge-patch.ts';
import { VnflowError } from './problems.ts';
import { readYaml, writeYaml } from './safe-yaml.ts';
import { vduGroups } from './standard-user-data/vdu-groups.ts';
import { type BaseHot, baseHot } from './standard-user-data.ts';
import { flavourPaths } from './vnfd.ts';

const Template = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** What user data of version 2 returns: everything for a new stack, or what is to change. */
const Fields = z.looseObject({
  template: Template.nullish(),
  files: z.record(z.string(), Template).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

/** The result of user data, as the step that runs it keeps it. Version 1 returns only the parameters of the stack. */
export const PackageUserData = z.union([
  z.object({ contract: z.literal(1), result: z.record(z.string(), z.unknown()).nullable() }),
  z.object({ contract: z.literal(2), result: Fields.nullable() }),
]);
export type PackageUserData = z.infer<typeof PackageUserData>;

/** What a stack gets. The parameters are those of the package: `nfv` need not be one of them. */
export interface PackageStackContent {
  readonly template: string;
  readonly files: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * The stack of a new instance, as user data of the package wants it. The sizes of scaling groups are written into the
 * template, as for built-in user data.
 * @param base the templates of the package, which hold where the result has none
 * @param counts servers per VDU
 * @throws VnflowError TEMPLATE_INVALID, PACKAGE_CODE_FAILED
 */
export function newStack(
  { contract, result }: PackageUserData,
  base: BaseHot,
  counts: Readonly<Record<string, number>>,
): PackageStackContent {
  if (result === null) throw createNoResultProblem();
  const fields = contract === 1 ? { parameters: result } : result;
  const { template = null, files = null, parameters = {} } = fields as z.infer<typeof Fields>;
  const topHot = { name: base.topHot.name, text: template === null ? base.topHot.text : textOf(template) };
  const nested = files === null ? base.files : mapped(files, textOf);
  const groups = vduGroups({ topHot, files: nested });
  const sizes = Object.fromEntries([...groups].map(([vduId, group]) => [group, counts[vduId] ?? 0]));
  return { template: withGroupSizes(topHot, sizes), files: nested, parameters: parameters ?? {} };
}

/** What an update of a stack carries. */
interface StackChange {
  readonly template?: string | Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/**
 * An update of a stack together with what user data of the package wants. `template` and `nfv` of version 2 are merge
 * patches (RFC 7396); what vnflow changes itself, such as the sizes of groups, stays.
 * @param current the template and the value of `nfv` that the stack has now
 */
export function changedStack(
  { contract, result }: PackageUserData,
  change: StackChange,
  current: { readonly template: Readonly<Record<string, unknown>>; readonly nfv: unknown },
): StackChange {
  if (result === null) return change;
  if (contract === 1) return { ...change, parameters: { ...result, ...change.parameters, ...nfvOf(result) } };
  const { template, files, parameters } = result;
  const { nfv, ...others } = parameters ?? {};
  const now = change.parameters?.['nfv'] ?? current.nfv;
  return {
    ...change,
    ...(template ? { template: patched(change.template ?? current.template, template) } : {}),
    ...(files ? { files: { ...change.files, ...mapped(files, textOf) } } : {}),
    ...(parameters
      ? { parameters: { ...change.parameters, ...others, ...(nfv === undefined ? {} : { nfv: mergePatch(now, nfv) }) } }
      : {}),
  };
}

function nfvOf({ nfv }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return nfv === undefined ? {} : { nfv };
}

/** What the patch removes from the sizes of a group would be given back by the next update: a number there stays. */
function patched(template: z.infer<typeof Template>, patch: z.infer<typeof Template>): string {
  return writeYaml(mergePatch(objectOf(template), objectOf(patch)));
}

function objectOf(template: z.infer<typeof Template>): unknown {
  return typeof template === 'string' ? readYaml(template) : template;
}

function textOf(template: z.infer<typeof Template>): string {
  return typeof template === 'string' ? template : writeYaml(template);
}

function createNoResultProblem(): VnflowError {
  return new VnflowError('PACKAGE_CODE_FAILED', { detail: 'User data of the VNF package returned nothing.' });
}

function mapped<V, R>(record: Readonly<Record<string, V>>, value: (of: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, of]) => [name, value(of)]));
}

/** The VNFD and the templates of a flavour as plain data. Version 2 has the top template apart from the others. */
export interface FlavourDocuments {
  readonly vnfd: unknown;
  readonly baseHot: { readonly template?: unknown; readonly files?: Readonly<Record<string, unknown>> };
}

/**
 * What code of a package reads of it, by flavour.
 * @param texts of the package by path: the VNFD and BaseHOT/
 * @throws VnflowError TEMPLATE_INVALID, CSAR_INVALID
 */
export function flavourDocuments(texts: ReadonlyMap<string, string>): Record<string, FlavourDocuments> {
  const documents = [...flavourPaths(texts)].map(([id, path]): [string, FlavourDocuments] => {
    const hasHot = [...texts.keys()].some((name) => name.startsWith(`BaseHOT/${id}/`));
    const base = hasHot ? baseHot(texts, id) : undefined;
    return [
      id,
      {
        vnfd: readYaml(texts.get(path) ?? ''),
        baseHot: base ? { template: readYaml(base.topHot.text), files: mapped(base.files, readYaml) } : {},
      },
    ];
  });
  return Object.fromEntries(documents);
}
