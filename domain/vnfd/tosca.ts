import { z } from 'zod';
import { VnflowError } from '../problems.ts';
import { readYaml } from '../safe-yaml.ts';

/** The parts of TOSCA simple YAML 1.2 with SOL001 types that a VNFM reads. Everything else passes unread. */

/** Version numbers are often written without quotes. */
const text = z.union([z.string(), z.number()]).transform(String);
/** A node template's name, or `[name, capability]`, or `{node: name}`. */
const target = z.union([
  z.string(),
  z.tuple([z.string()], z.unknown()).transform(([name]) => name),
  z.object({ node: z.string() }).transform(({ node }) => node),
]);

/** SOL001's long notation, or TOSCA's short one (`sw_image: ../Files/images/a.img`), which has no type. */
const Artifact = z.union([
  z.string().transform((file) => ({ file, type: undefined })),
  z.object({ file: z.string(), type: z.string().optional() }).transform(({ file, type }) => ({ file, type })),
]);

const NodeTemplate = z.object({
  type: z.string(),
  properties: z.record(z.string(), z.unknown()).nullish(),
  requirements: z.array(z.record(z.string(), z.unknown())).nullish(),
  capabilities: z.record(z.string(), z.unknown()).nullish(),
  artifacts: z.record(z.string(), Artifact).nullish(),
  interfaces: z.unknown().optional(),
});
export type NodeTemplate = z.infer<typeof NodeTemplate>;

const NodeType = z
  .object({ derived_from: z.string().nullish(), properties: z.record(z.string(), z.unknown()).nullish() })
  .nullable();
export type NodeType = z.infer<typeof NodeType>;

const Policy = z.object({
  type: z.string(),
  targets: z.array(z.string()).nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});
export type Policy = z.infer<typeof Policy>;

const ServiceTemplate = z.object({
  tosca_definitions_version: z.string(),
  imports: z.unknown().optional(),
  node_types: z.record(z.string(), NodeType).nullish(),
  data_types: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  topology_template: z
    .object({
      inputs: z.record(z.string(), z.unknown()).nullish(),
      substitution_mappings: z
        .object({
          node_type: z.string().nullish(),
          properties: z.record(z.string(), z.unknown()).nullish(),
          substitution_filter: z.object({ properties: z.unknown() }).nullish(),
        })
        .nullish(),
      node_templates: z.record(z.string(), NodeTemplate).nullish(),
      policies: z.array(z.record(z.string(), Policy)).nullish(),
      groups: z.record(z.string(), z.object({ type: z.string(), members: z.array(z.string()).nullish() })).nullish(),
    })
    .nullish(),
});
export type ServiceTemplate = z.infer<typeof ServiceTemplate>;

const ImportOfFile = z.union([z.string().transform((file) => ({ file })), z.object({ file: z.string() })]);
/** `file`, `{file: …}`, or `{name: file}` and `{name: {file: …}}` (TOSCA 1.0). */
const Import = z.union([
  ImportOfFile.transform(({ file }) => [file]),
  z.record(z.string(), ImportOfFile).transform((named) => Object.values(named).map(({ file }) => file)),
]);

/** The files and URLs of an `imports` clause, as written. @throws VnflowError CSAR_INVALID */
export function importedFiles(imports: unknown, path: string): string[] {
  return readAs(z.array(Import), imports ?? [], `${path}, imports`).flat();
}

/** One definitions file. */
export interface Definitions {
  readonly path: string;
  readonly template: ServiceTemplate;
}

/** @throws VnflowError CSAR_INVALID naming the file and the place in it */
export function readDefinitions(path: string, yaml: string): Definitions {
  return { path, template: readAs(ServiceTemplate, readYamlOf(path, yaml), path) };
}

function readYamlOf(path: string, yaml: string): unknown {
  try {
    return readYaml(yaml);
  } catch (error) {
    throw createVnfdProblem(`${path} ${error instanceof Error ? error.message : String(error)}.`, error);
  }
}

/** @param where file and place, for the sentence @throws VnflowError CSAR_INVALID */
export function readAs<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `, ${issue.path.map(String).join('.')}`;
  throw createVnfdProblem(`${where}${place}: ${issue?.message ?? 'not readable'}.`);
}

export function createVnfdProblem(detail: string, cause?: unknown): VnflowError {
  return new VnflowError('CSAR_INVALID', { detail, cause });
}

/** The targets of a node's requirements of one name, for example `virtual_binding`. */
export function requirements(node: NodeTemplate, name: string, where: string): string[] {
  return (node.requirements ?? []).flatMap((requirement) =>
    name in requirement ? [readAs(target, requirement[name], `${where}, requirements.${name}`)] : [],
  );
}

export { text as toscaText };
