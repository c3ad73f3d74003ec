import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { CliFailure } from './vnfm/failure.ts';

const Named = z.looseObject({ name: z.string() });
const Lists = { clusters: z.array(Named), users: z.array(Named), contexts: z.array(Named) };

/** A kubeconfig as the API gives it: one cluster, one user, one context. */
const Given = z.looseObject({
  ...Lists,
  clusters: z.tuple([z.looseObject({ name: z.string(), cluster: z.looseObject({ server: z.string() }) })]),
  'current-context': z.string(),
});

/** The file of a user, which may lack any part. */
const Kept = z.looseObject({
  clusters: Lists.clusters.nullish(),
  users: Lists.users.nullish(),
  contexts: Lists.contexts.nullish(),
});

export interface GivenKubeconfig {
  /** YAML, with the comment of the API in its first line. */
  readonly text: string;
  readonly context: string;
  /** Role and end, for people. */
  readonly note: string;
  readonly content: z.infer<typeof Given>;
}

/**
 * Reads the answer of the API.
 * @param server the address of the API server to use instead of the one that vnflow knows
 * @throws CliFailure when the answer is no kubeconfig
 */
export function readKubeconfig(answer: string, server: string | undefined): GivenKubeconfig {
  const parsed = Given.safeParse(parse(answer));
  if (!parsed.success) throw new CliFailure('The API gave no kubeconfig that this release of vnflow can read.');
  const note = /^# (.+)$/m.exec(answer)?.[1] ?? '';
  const [cluster] = parsed.data.clusters;
  if (server !== undefined) cluster.cluster.server = server;
  const text = server === undefined ? answer : `# ${note}\n${stringify(parsed.data)}`;
  return { text, context: parsed.data['current-context'], note, content: parsed.data };
}

/**
 * Adds a kubeconfig to the file of the user and makes its context the current one. What has its names is replaced.
 * @returns the path of the file
 * @throws CliFailure when the file is no kubeconfig
 */
export function mergeKubeconfig(environment: NodeJS.ProcessEnv, { content }: GivenKubeconfig): string {
  const file =
    (environment['KUBECONFIG'] ?? '').split(path.delimiter).find((each) => each !== '') ??
    path.join(homedir(), '.kube', 'config');
  const kept = readKept(file);
  const join = (list: 'clusters' | 'users' | 'contexts') => {
    const names = new Set(content[list].map(({ name }) => name));
    return [...(kept[list] ?? []).filter(({ name }) => !names.has(name)), ...content[list]];
  };
  const merged = {
    apiVersion: 'v1',
    kind: 'Config',
    ...kept,
    clusters: join('clusters'),
    users: join('users'),
    contexts: join('contexts'),
    'current-context': content['current-context'],
  };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.vnflow-${process.pid}`;
  writeFileSync(beside, stringify(merged), { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, file);
  return file;
}

function readKept(file: string): z.infer<typeof Kept> {
  if (!existsSync(file)) return {};
  try {
    return Kept.parse(parse(readFileSync(file, 'utf8')) ?? {});
  } catch {
    throw new CliFailure(`${file} is no kubeconfig that vnflow can read; it stays as it is. Use --out FILE instead.`);
  }
}
