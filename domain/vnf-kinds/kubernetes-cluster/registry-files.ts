import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { mergePatch } from '../../merge-patch.ts';
import { hostOf, isTls, type RegistryConnection, registryUrl } from './registry-connections.ts';

/**
 * What a node has about private registries, and what it is to have. Everything here is a decision over texts: the node
 * only gives files, and takes them (activities/node/registry-files.ts).
 */

const CONTAINERD = '/etc/containerd/certs.d';
const DOCKER = '/etc/docker/certs.d';

/** The files that others write, too: vnflow changes its own parts of them. */
export const SHARED_FILES = {
  hosts: '/etc/hosts',
  daemon: '/etc/docker/daemon.json',
  dockerLogins: '/root/.docker/config.json',
  kubeletLogins: '/var/lib/kubelet/config.json',
  containerd: '/etc/containerd/config.toml',
} as const;
export type SharedFile = keyof typeof SHARED_FILES;

/** Where a node keeps what vnflow has written there, so that a later change takes it away again. */
export const RECORD_FILE = '/var/lib/vnflow/registries/written.json';

/** What vnflow has written on a node. It has no secret. */
const Written = z.object({
  files: z.array(z.string()).default([]),
  /** Registries in `insecure-registries` of docker, and with a login in the files of docker and the kubelet. */
  insecure: z.array(z.string()).default([]),
  logins: z.array(z.string()).default([]),
});
type Written = z.infer<typeof Written>;

/** A node as it was found. */
export interface NodeSight {
  /** Is docker's daemon installed? */
  readonly docker: boolean;
  /** The texts of the files that exist. */
  readonly texts: { readonly [F in SharedFile]?: string };
  /** The text of RECORD_FILE. */
  readonly record?: string;
}

/** A registry, with the certificate of its authority. */
export interface NodeRegistry extends RegistryConnection {
  /** PEM. */
  readonly authority?: string | undefined;
}

export interface NodeFile {
  readonly path: string;
  readonly mode: '0600' | '0644';
  readonly text: string;
}

/** A service that has to read its files again. */
export type Service = 'containerd' | 'docker' | 'kubelet';

/** What has to change on a node. */
export interface NodeChange {
  readonly put: readonly NodeFile[];
  readonly remove: readonly string[];
  readonly restart: readonly Service[];
}

/**
 * What has to change on a node so that its runtime pulls from these registries, and from no other that vnflow connected
 * earlier.
 * @throws SyntaxError naming the file of the node that is not of its form
 */
export function registryChange(registries: readonly NodeRegistry[], sight: NodeSight): NodeChange {
  const before = Written.parse(JSON.parse(sight.record ?? '{}'));
  const own = registries.flatMap((registry) => ownFiles(registry, sight.docker));
  const after: Written = {
    files: own.map(({ path }) => path),
    insecure: sight.docker ? registries.filter((one) => !isTls(one)).map(({ server }) => server) : [],
    logins: registries.filter(({ username }) => username !== undefined).map(({ server }) => server),
  };
  const shared = (Object.keys(SHARED_FILES) as SharedFile[]).flatMap((name) => {
    const text = newText(name, { registries, sight, before, after });
    return text === undefined || text === sight.texts[name] ? [] : [{ name, text }];
  });
  const put = shared.map(({ name, text }) => ({ path: SHARED_FILES[name], mode: MODES[name], text }));
  return {
    put: [...own, ...put, { path: RECORD_FILE, mode: '0600', text: `${JSON.stringify(after)}\n` }],
    remove: before.files.filter((path) => !after.files.includes(path)),
    restart: shared.flatMap(({ name }) => RESTARTS[name] ?? []),
  };
}

/** The record that a node has while it is changed: a change that is cut off leaves nothing that is not known. */
export function recordDuring(change: NodeChange, { record }: Pick<NodeSight, 'record'>): string {
  const before = Written.parse(JSON.parse(record ?? '{}'));
  const after = Written.parse(JSON.parse(change.put.find(({ path }) => path === RECORD_FILE)?.text ?? '{}'));
  const both = (name: keyof Written) => [...new Set([...before[name], ...after[name]])];
  return `${JSON.stringify({ files: both('files'), insecure: both('insecure'), logins: both('logins') })}\n`;
}

const MODES: { readonly [F in SharedFile]: NodeFile['mode'] } = {
  hosts: '0644',
  daemon: '0644',
  dockerLogins: '0600',
  kubeletLogins: '0600',
  containerd: '0644',
};

/** The kubelet reads its logins every five minutes, and at its start. */
const RESTARTS: { readonly [F in SharedFile]?: Service } = {
  daemon: 'docker',
  kubeletLogins: 'kubelet',
  containerd: 'containerd',
};

/** The files of one registry that only vnflow writes. */
function ownFiles(registry: NodeRegistry, docker: boolean): NodeFile[] {
  const { server, authority } = registry;
  const url = registryUrl(registry);
  const certificate = `${CONTAINERD}/${server}/ca.crt`;
  const hosts = [
    `server = "${url}"`,
    '',
    `[host."${url}"]`,
    '  capabilities = ["pull", "resolve"]',
    ...(authority === undefined ? [] : [`  ca = "${certificate}"`]),
  ];
  const ca = (path: string): NodeFile[] => (authority === undefined ? [] : [{ path, mode: '0644', text: authority }]);
  return [
    ...ca(certificate),
    { path: `${CONTAINERD}/${server}/hosts.toml`, mode: '0644', text: `${hosts.join('\n')}\n` },
    ...(docker ? ca(`${DOCKER}/${server}/ca.crt`) : []),
  ];
}

interface Sources {
  readonly registries: readonly NodeRegistry[];
  readonly sight: NodeSight;
  readonly before: Written;
  readonly after: Written;
}

/** The text that a shared file is to have. Undefined when it is not to be there, and is not. */
function newText(name: SharedFile, { registries, sight, before, after }: Sources): string | undefined {
  const text = sight.texts[name];
  switch (name) {
    case 'hosts':
      return withHosts(text ?? '', registries);
    case 'containerd':
      return text === undefined || registries.length === 0 ? text : withConfigPath(text);
    case 'daemon':
      return sight.docker ? withInsecure(text, before.insecure, after.insecure) : text;
    case 'dockerLogins':
      return sight.docker ? withLogins(name, text, { registries, gone: before.logins }) : text;
    case 'kubeletLogins':
      return withLogins(name, text, { registries, gone: before.logins });
  }
}

const HOSTS_BEGIN = '# private registries, by vnflow';
const HOSTS_END = '# end of the private registries';

/** The lines of the registries stand between two marks. */
function withHosts(text: string, registries: readonly NodeRegistry[]): string {
  const at = text.indexOf(`${HOSTS_BEGIN}\n`);
  const end = text.indexOf(`${HOSTS_END}\n`);
  const others = at < 0 || end < at ? text : text.slice(0, at) + text.slice(end + HOSTS_END.length + 1);
  const lines = new Set(
    registries.flatMap((registry) => {
      const host = hostOf(registry);
      return host === undefined ? [] : [`${host.address} ${host.name}`];
    }),
  );
  if (lines.size === 0) return others;
  const whole = others === '' || others.endsWith('\n') ? others : `${others}\n`;
  return `${whole}${[HOSTS_BEGIN, ...lines, HOSTS_END].join('\n')}\n`;
}

const CRI_REGISTRY = '[plugins."io.containerd.grpc.v1.cri".registry]';

/**
 * containerd reads hosts.toml only where `config_path` leads to it, which its default configuration does not set. A
 * configuration with another path, or with registries of the older style, stays as it is: somebody made it.
 */
function withConfigPath(text: string): string {
  if (/^\s*config_path\s*=\s*(["'])[^"']*\1/m.test(text.replace(/^\s*config_path\s*=\s*(""|'')\s*$/gm, '')))
    return text;
  if (/^\s*config_path\s*=\s*(""|'')\s*$/m.test(text)) {
    return text.replace(/^(\s*config_path\s*=\s*)(""|'')\s*$/m, `$1"${CONTAINERD}"`);
  }
  if (/^\s*\[plugins\..*\.registry[\].]/m.test(text)) return text;
  return `${text.endsWith('\n') ? text : `${text}\n`}\n${CRI_REGISTRY}\n  config_path = "${CONTAINERD}"\n`;
}

/** The list of docker's daemon, with what others have written there. */
function withInsecure(
  text: string | undefined,
  gone: readonly string[],
  wanted: readonly string[],
): string | undefined {
  const daemon = objectIn('daemon', text);
  const given = Array.isArray(daemon['insecure-registries']) ? (daemon['insecure-registries'] as unknown[]) : [];
  const kept = given.filter((one) => !gone.includes(String(one)) && !wanted.includes(String(one)));
  const list = [...kept, ...wanted];
  return patched('daemon', text, { 'insecure-registries': list.length === 0 ? null : list });
}

/** The logins of docker or of the kubelet, with those that others have written there. */
function withLogins(
  name: SharedFile,
  text: string | undefined,
  { registries, gone }: { readonly registries: readonly NodeRegistry[]; readonly gone: readonly string[] },
): string | undefined {
  const wanted = registries.flatMap(({ server, username, password }) =>
    username === undefined
      ? []
      : [[server, { auth: Buffer.from(`${username}:${password}`).toString('base64') }] as const],
  );
  if (wanted.length + gone.length === 0) return text;
  const patch = {
    auths: { ...Object.fromEntries(gone.map((server) => [server, null])), ...Object.fromEntries(wanted) },
  };
  return patched(name, text, patch);
}

/** The text with a merge patch. A file that means the same as before stays as it is. */
function patched(name: SharedFile, text: string | undefined, patch: object): string | undefined {
  const before = objectIn(name, text);
  const after = mergePatch(before, patch);
  return isDeepStrictEqual(after, before) ? text : `${JSON.stringify(after, null, 2)}\n`;
}

function objectIn(name: SharedFile, text = ''): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw new SyntaxError(`${SHARED_FILES[name]} is no JSON object`, { cause });
  }
}
