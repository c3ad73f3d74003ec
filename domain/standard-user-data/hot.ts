import { z } from 'zod';
import { VnflowError } from '../problems.ts';
import { readYaml } from '../safe-yaml.ts';

const Resource = z.looseObject({ type: z.string(), properties: z.record(z.string(), z.unknown()).nullish() });
const Hot = z.looseObject({
  heat_template_version: z.string(),
  parameters: z.record(z.string(), z.looseObject({ type: z.string() })).nullish(),
  resources: z.record(z.string(), Resource),
});
/** A Heat Orchestration Template, as far as vnflow reads it. */
export type Hot = z.infer<typeof Hot>;
export type HotResource = z.infer<typeof Resource>;

export interface HotFile {
  /** The name of the file in messages, for example `BaseHOT/simple/simple_hot_top.yaml`. */
  readonly name: string;
  readonly text: string;
}

/** The templates of one flavour. */
export interface BaseHot {
  readonly topHot: HotFile;
  /** Nested templates by the file name that `type` gives. */
  readonly files: Readonly<Record<string, string>>;
}

/** @throws VnflowError TEMPLATE_INVALID naming file and place */
export function readHot({ name, text }: HotFile): Hot {
  const parsed = Hot.safeParse(yamlOf(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw createTemplateProblem(`${name}, ${issue?.path.map(String).join('.') || 'top level'}: ${issue?.message}.`);
}

function yamlOf(name: string, text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    throw createTemplateProblem(`${name} ${error instanceof Error ? error.message : String(error)}.`);
  }
}

export function createTemplateProblem(detail: string): VnflowError {
  return new VnflowError('TEMPLATE_INVALID', { detail });
}

const TOP = /^BaseHOT\/([^/]+)\/([^/]+\.ya?ml)$/;
const NESTED = /^BaseHOT\/([^/]+)\/nested\/([^/]+\.ya?ml)$/;

/**
 * The templates of a flavour in a package.
 * @param packageFiles text by path in the package; others than `BaseHOT/{flavourId}/` are ignored
 * @throws VnflowError TEMPLATE_INVALID when there is not exactly one top HOT
 */
export function baseHot(packageFiles: ReadonlyMap<string, string>, flavourId: string): BaseHot {
  const matching = (pattern: RegExp) =>
    [...packageFiles].flatMap(([path, text]) => {
      const [, flavour, name] = pattern.exec(path) ?? [];
      return flavour === flavourId && name !== undefined ? [{ path, name, text }] : [];
    });
  const tops = matching(TOP);
  const [top] = tops;
  if (top === undefined) {
    throw createTemplateProblem(
      `The package has no HOT for flavour "${flavourId}": put one into BaseHOT/${flavourId}/.`,
    );
  }
  if (tops.length > 1) {
    const names = tops.map(({ path }) => path).join(', ');
    throw createTemplateProblem(
      `BaseHOT/${flavourId}/ has more than one top HOT (${names}): move the others into nested/.`,
    );
  }
  return {
    topHot: { name: top.path, text: top.text },
    files: Object.fromEntries(matching(NESTED).map(({ name, text }) => [name, text])),
  };
}

/** The nested template that a resource (or the member of its group) is made of, if any. */
export function nestedTypeOf(resource: HotResource): string | undefined {
  if (/\.ya?ml$/.test(resource.type)) return resource.type;
  const member = resource.properties?.['resource'];
  if (typeof member !== 'object' || member === null || !('type' in member)) return undefined;
  return typeof member.type === 'string' && /\.ya?ml$/.test(member.type) ? member.type : undefined;
}
