import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { Refusal } from '../refusal.ts';

/** A HOT template, parsed but not evaluated. */
export interface Template {
  /** The parsed source, as GET …/template answers it. */
  readonly source: JsonObject;
  readonly description: string | undefined;
  readonly parameters: Readonly<Record<string, JsonObject>>;
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  readonly outputs: Readonly<Record<string, JsonObject>>;
  readonly conditions: JsonObject;
}

export interface ResourceDefinition {
  readonly type: string;
  readonly properties: JsonObject;
  readonly dependsOn: readonly string[];
  readonly condition: Json | undefined;
  readonly metadata: Json;
  readonly isRetained: boolean;
  readonly externalId: string | undefined;
}

const VERSIONS = [
  ...['2013-05-23', '2014-10-16', '2015-04-30', '2015-10-15', '2016-04-08', '2016-10-14', '2017-02-24', '2017-09-01'],
  ...['2018-03-02', '2018-08-31', '2021-04-16', 'newton', 'ocata', 'pike', 'queens', 'rocky', 'wallaby'],
];

const SECTIONS = new Set([
  ...['heat_template_version', 'description', 'parameter_groups', 'parameters', 'resources', 'outputs', 'conditions'],
]);

/**
 * Reads a template.
 * @param given YAML or JSON text, or the object itself
 * @throws Refusal 400 in Heat's words
 */
export function readTemplate(given: Json): Template {
  const source = typeof given === 'string' ? parseYaml(given) : given;
  if (!isObject(source)) throw createFormatRefusal('The template is not a JSON object or YAML mapping.');
  checkVersion(source);
  for (const section of Object.keys(source)) {
    if (!SECTIONS.has(section)) {
      throw new Refusal(400, 'StackValidationFailed', `The template section is invalid: ${section}`);
    }
  }
  return {
    source,
    description: typeof source['description'] === 'string' ? source['description'] : undefined,
    parameters: objectsOf(source, 'parameters'),
    resources: Object.fromEntries(
      Object.entries(objectsOf(source, 'resources')).map(([name, body]) => [name, readResource(name, body)]),
    ),
    outputs: objectsOf(source, 'outputs'),
    conditions: isObject(source['conditions']) ? source['conditions'] : {},
  };
}

function parseYaml(text: string): Json {
  try {
    return parse(text, { maxAliasCount: 50, uniqueKeys: false }) as Json;
  } catch (error) {
    throw createFormatRefusal(
      `Error parsing template [root stack] ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function createFormatRefusal(message: string): Refusal {
  return new Refusal(400, 'HTTPBadRequest', `Template not in valid format: ${message}`);
}

function checkVersion(source: JsonObject): void {
  const version = source['heat_template_version'];
  if (version === undefined) {
    throw new Refusal(
      400,
      'InvalidTemplateVersion',
      'The template version is invalid: Template version was not provided',
    );
  }
  if (!VERSIONS.includes(String(version))) {
    const message = `The template version is invalid: "heat_template_version: ${version}". "heat_template_version" should be one of: ${VERSIONS.join(', ')}`;
    throw new Refusal(400, 'InvalidTemplateVersion', message);
  }
}

function objectsOf(source: JsonObject, section: string): Record<string, JsonObject> {
  const found = source[section] ?? {};
  if (!isObject(found))
    throw createValidationRefusal(
      `"${section}" must contain a map of ${section} maps. Found a [${typeof found}] instead`,
    );
  for (const [name, body] of Object.entries(found)) {
    if (!isObject(body))
      throw createValidationRefusal(
        `"${section}" must contain a map of ${section} maps. Found ${name} of another type`,
      );
  }
  return found as Record<string, JsonObject>;
}

function readResource(name: string, body: JsonObject): ResourceDefinition {
  const type = body['type'];
  if (typeof type !== 'string') throw createValidationRefusal(`"${name}" resource: "type" is required`);
  const properties = body['properties'] ?? {};
  if (!isObject(properties)) throw createValidationRefusal(`"${name}" resource: "properties" must be a map`);
  const dependsOn = body['depends_on'] ?? [];
  return {
    type,
    properties,
    dependsOn: (Array.isArray(dependsOn) ? dependsOn : [dependsOn]).map(String),
    condition: body['condition'],
    metadata: body['metadata'] ?? null,
    isRetained: String(body['deletion_policy'] ?? '').toLowerCase() === 'retain',
    externalId: typeof body['external_id'] === 'string' ? body['external_id'] : undefined,
  };
}

function createValidationRefusal(message: string): Refusal {
  return new Refusal(400, 'StackValidationFailed', message);
}
