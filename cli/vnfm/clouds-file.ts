import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { CliFailure } from './failure.ts';

const text = z.union([z.string(), z.number()]).transform(String).optional();
const Cloud = z.looseObject({
  auth: z
    .looseObject({
      auth_url: text,
      username: text,
      password: text,
      project_name: text,
      user_domain_name: text,
      project_domain_name: text,
      domain_name: text,
      application_credential_id: text,
      application_credential_name: text,
      application_credential_secret: text,
    })
    .default({}),
  cacert: text,
});
const CloudsFile = z.object({ clouds: z.record(z.string(), z.unknown()) });

/**
 * Reads a cloud of `clouds.yaml` as the `openstack` client does: the file is looked for in the working directory, in
 * `~/.config/openstack` and in `/etc/openstack`, and secrets may lie in `secure.yaml` beside it.
 * @param environment names the cloud (`OS_CLOUD`), and may name the file (`OS_CLIENT_CONFIG_FILE`)
 * @returns variables as the environment would have them. Undefined: no cloud is named
 * @throws CliFailure that names the file or the clouds that there are
 */
export function readCloud(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined {
  const name = environment['OS_CLOUD'];
  if (!name) return undefined;
  const file = cloudsFile(environment);
  const clouds = readClouds(file);
  const found = clouds[name];
  if (found === undefined) {
    throw new CliFailure(`OS_CLOUD=${name}: ${file} has no such cloud; it has ${Object.keys(clouds).join(', ')}.`);
  }
  const secure = path.join(path.dirname(file), 'secure.yaml');
  const secrets = existsSync(secure) ? readClouds(secure)[name] : undefined;
  const cloud = Cloud.safeParse(merged(found, secrets));
  if (!cloud.success) {
    const where = cloud.error.issues[0]?.path.join('.') ?? '';
    throw new CliFailure(`OS_CLOUD=${name}: clouds.${name}.${where} in ${file} cannot be used.`);
  }
  return variablesOf(cloud.data);
}

function variablesOf({ auth, cacert }: z.infer<typeof Cloud>): NodeJS.ProcessEnv {
  return {
    OS_AUTH_URL: auth.auth_url,
    OS_USERNAME: auth.username,
    OS_PASSWORD: auth.password,
    OS_PROJECT_NAME: auth.project_name,
    OS_USER_DOMAIN_NAME: auth.user_domain_name ?? auth.domain_name,
    OS_PROJECT_DOMAIN_NAME: auth.project_domain_name ?? auth.domain_name,
    OS_APPLICATION_CREDENTIAL_ID: auth.application_credential_id,
    OS_APPLICATION_CREDENTIAL_NAME: auth.application_credential_name,
    OS_APPLICATION_CREDENTIAL_SECRET: auth.application_credential_secret,
    OS_CACERT: cacert?.replace(/^~(?=\/)/, homedir()),
  };
}

function cloudsFile({ OS_CLIENT_CONFIG_FILE: named }: NodeJS.ProcessEnv): string {
  const places = named
    ? [named]
    : ['.', path.join(homedir(), '.config', 'openstack'), '/etc/openstack'].map((at) =>
        path.resolve(at, 'clouds.yaml'),
      );
  const file = places.find((place) => existsSync(place));
  if (file === undefined) throw new CliFailure(`OS_CLOUD is set, but there is no file ${places.join(', nor ')}.`);
  return file;
}

function readClouds(file: string): Record<string, unknown> {
  try {
    return CloudsFile.parse(parse(readFileSync(file, 'utf8'))).clouds;
  } catch {
    throw new CliFailure(`${file} is no readable YAML with a member "clouds".`);
  }
}

/** Two parts of a cloud as one: members of the second win. */
function merged(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second ?? first;
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries([...names].map((name) => [name, merged(first[name], second[name])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
