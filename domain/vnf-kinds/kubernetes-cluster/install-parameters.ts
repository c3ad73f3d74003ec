import path from 'node:path';
import { z } from 'zod';
import { parseMember } from '../../parse-member.ts';
import { VnflowError } from '../../problems.ts';
import { readYaml } from '../../safe-yaml.ts';

/** The member of `k8s_cluster_installation_param` with the install parameters of a request. */
export const INSTALL_PARAMETERS = 'install_parameters';
/** The file of a package with its own values. It lies beside the install script. */
const PACKAGE_FILE = 'install_parameters.yaml';

/** Values of install parameters by name. None of them is a secret. */
export type InstallParameters = Readonly<Record<string, string>>;

export const InstallParameters = z.record(
  z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the name of a parameter, for example KUBERNETES_VERSION'),
  z.string('must be text; in YAML, put numbers into quotes').max(1024),
);

/** The forms that a declaration can name, with what is wrong with a value, as a sentence without subject. */
const FORMS: Readonly<Record<string, { readonly value: RegExp; readonly sentence: string }>> = {
  version: {
    value: /^v?\d{1,4}\.\d{1,4}\.\d{1,4}(?:[+-][A-Za-z0-9.+-]{1,40})?$/,
    sentence: 'a version such as 1.36.4',
  },
  sha256: {
    value: /^[0-9a-f]{64}(?:,[0-9a-f]{64}){0,7}$/,
    sentence: 'a SHA-256 of 64 hexadecimal digits, or several of them separated by commas',
  },
  fingerprint: { value: /^[0-9A-F]{40}$/, sentence: 'a fingerprint of 40 hexadecimal digits (capitals, no spaces)' },
  url: {
    value: /^https?:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[A-Za-z0-9._:~-]+)*\/?$/,
    sentence: 'an http or https URL without user name, query and fragment',
  },
  repository: {
    value: /^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/,
    sentence: 'the place of images, such as registry.k8s.io or mirror.example.com:5000/kubernetes',
  },
  image: {
    value: /^[a-z0-9][a-z0-9._:/-]*(?::[A-Za-z0-9._-]{1,128})?(?:@sha256:[0-9a-f]{64})?$/,
    sentence: 'the name of an image, such as docker.io/library/registry:2.8.3',
  },
  duration: { value: /^[1-9]\d{0,3}[smh]$/, sentence: 'a duration such as 10m' },
  port: {
    value: /^(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/,
    sentence: 'a TCP port from 1 to 65535',
  },
};
/** A form that lists the values that are allowed: `none|aescbc`. */
const CHOICE = /^[a-z0-9][a-z0-9-]*(?:\|[a-z0-9][a-z0-9-]*)+$/;

/** What vnflow itself gives to a phase. A script cannot declare it. */
const RESERVED = new Set(
  `NODE_NAME NODE_IP LOGIN_USER POD_CIDR SERVICE_CIDR CLUSTER_ENDPOINT CERT_SANS CONTROL_PLANES OTHER_NODES VIRTUAL_IP
  VRRP_ROUTER_ID VRRP_PRIORITY VRRP_PASSWORD BACKUP_ID BACKUP_FILE BACKUP_REVISION RESTORE_ID HTTP_PROXY HTTPS_PROXY
  NO_PROXY HTTP_PRIVATE_REGISTRIES JOIN_TOKEN CA_CERT_HASH CERTIFICATE_KEY ENCRYPTION_CONFIG VNFLOW_OUTPUT
  VNFLOW_SECRET_OUTPUT PATH HOME IFS ENV BASH_ENV LD_PRELOAD LD_LIBRARY_PATH`.split(/\s+/),
);

/** An install script. */
export interface ScriptText {
  /** As the request has it. */
  readonly path: string;
  readonly text: string;
}

/** Declarations of a script (docs/install-script.md): the form of each parameter by its name. */
export type DeclaredParameters = ReadonlyMap<string, string>;

/**
 * Reads the parameters that a script declares: comment lines `#@ parameter NAME FORM`.
 * @param text of the script. It is only read, never run
 * @throws SyntaxError whose message says what is wrong with a declaration, as the second half of a sentence
 */
export function declaredParameters(text: string): DeclaredParameters {
  const declared = new Map<string, string>();
  for (const [line, name = '', form = ''] of text.matchAll(/^#@ parameter[ \t]+(\S+)[ \t]+(\S+)[ \t]*$/gm)) {
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name) || RESERVED.has(name) || declared.has(name))
      throw new SyntaxError(
        `has the line "${line.trim()}": the name is no name for a parameter, is vnflow's, or is twice`,
      );
    if (!Object.hasOwn(FORMS, form) && !CHOICE.test(form))
      throw new SyntaxError(
        `has the line "${line.trim()}": a form is ${Object.keys(FORMS).join(', ')}, or choices a|b`,
      );
    declared.set(name, form);
  }
  return declared;
}

/** What is wrong with a value of a form, as a sentence without subject. Undefined when nothing is wrong. */
function valueProblem(value: string, form: string): string | undefined {
  const known = FORMS[form];
  if (known) return known.value.test(value) ? undefined : `must be ${known.sentence}`;
  const choices = form.split('|');
  return choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;
}

/**
 * Checks values against what the install script declares.
 * @param where.at the path to the values, for the message
 * @param where.script path and text of the install script
 * @throws VnflowError BAD_REQUEST naming the parameter and what may stand there
 */
export function checkInstallParameters(
  values: InstallParameters,
  { at, script }: { readonly at: string; readonly script: ScriptText },
): void {
  const declared = declaredParameters(script.text);
  for (const [name, value] of Object.entries(values)) {
    const form = declared.get(name);
    const sentence =
      form === undefined
        ? `the install script ${script.path} declares ${[...declared.keys()].join(', ') || 'no install parameters'}`
        : valueProblem(value, form);
    if (sentence !== undefined) throw new VnflowError('BAD_REQUEST', { detail: `${at}.${name}: ${sentence}.` });
  }
}

/** The path of the file with a package's own values. @param scriptPath as a request has it */
export function packageParametersPath(scriptPath: string): string {
  return path.posix.join(path.posix.dirname(path.posix.normalize(scriptPath)), PACKAGE_FILE);
}

/**
 * Reads the file with a package's own values.
 * @throws VnflowError BAD_REQUEST naming the member; SyntaxError when it is no YAML
 */
export function readPackageParameters(text: string, at: string): InstallParameters {
  return parseMember(InstallParameters, readYaml(text) ?? {}, [at]);
}
