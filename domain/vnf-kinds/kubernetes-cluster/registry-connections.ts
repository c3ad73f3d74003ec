import { z } from 'zod';
import { withoutSecrets } from '../../redaction.ts';

/** Key of the connections in the parameters of a cluster, and in its vnfConfigurableProperties. */
export const REGISTRY_CONNECTIONS = 'private_registry_connection_info';

const MOST_REGISTRIES = 32;
const MOST_CERTIFICATE = 65_536;

/** What curl's configuration, /etc/hosts and docker's files can hold on one line. */
const plainText = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not have control characters');

/** An empty text means that the member is not given: clients of Tacker fill in forms. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given) => (given === '' || given === null ? undefined : given), schema.optional());

/** The guide has text, and Tacker takes a number, too. */
const connectionType = z.preprocess(
  (given) => (typeof given === 'number' ? String(given) : given),
  z.enum(['0', '1'], {
    error: ({ input }) => (input === undefined ? 'is missing' : 'must be 0 (HTTP) or 1 (HTTPS)'),
  }),
);

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** Whether a text is the name of a host, or an IPv4 address. */
function isHost(text: string): boolean {
  if (text.length > 253 || !NAME.test(text)) return false;
  // a name whose last part is a number is an address to every tool
  return !/(^|\.)\d+$/.test(text) || z.ipv4().safeParse(text).success;
}

const server = z.string().superRefine((given, { addIssue }) => {
  const message = serverProblem(given);
  if (message !== undefined) addIssue({ code: 'custom', message });
});

function serverProblem(given: string): string | undefined {
  if (given.includes('://')) return 'must not have a scheme: connection_type says whether it is HTTP or HTTPS';
  if (given.includes('/')) return 'must not have a path: it is host[:port], as in the name of an image';
  const [host = '', port, ...more] = given.split(':');
  if (!isHost(host) || more.length > 0) return 'must be host[:port], such as 192.168.0.10:5000';
  if (port !== undefined && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535))
    return 'must have a port from 1 to 65535';
  if (port === undefined && !host.includes('.') && host !== 'localhost')
    return 'must have a dot or a port: otherwise the name of an image cannot name it';
  return given.toLowerCase() === 'docker.io' ? 'docker.io is no private registry' : undefined;
}

const hostsString = z.string().refine((given) => {
  const [address = '', name = '', ...more] = given.trim().split(/\s+/);
  const isAddress = z.union([z.ipv4(), z.ipv6()]).safeParse(address).success;
  return isAddress && isHost(name) && more.length === 0;
}, 'must be an address and a name, such as "192.168.0.20 registry.example.com"');

/** One registry that the nodes of a cluster pull images from (seeds/004). */
export const RegistryConnection = z.object({
  /** 0: HTTP, 1: HTTPS. */
  connection_type: connectionType,
  /** `host[:port]`, as in the names of images. */
  server,
  username: optional(plainText(255).regex(/^[^:]*$/, 'must not have a colon')),
  password: optional(plainText(1024)),
  /** Path of the certificate of the registry's authority in the package. */
  certificate_path: optional(z.string().max(255)),
  /** The certificate itself, PEM: that of a registry VNF is made after the package. The guide has no such member. */
  certificate: optional(z.string().max(MOST_CERTIFICATE)),
  /** A line of /etc/hosts. */
  hosts_string: optional(hostsString),
});
export type RegistryConnection = z.infer<typeof RegistryConnection>;

export const RegistryConnections = z
  .array(RegistryConnection)
  .max(MOST_REGISTRIES, `must not name more than ${MOST_REGISTRIES} registries`);

/** The member of an entry that is wrong. */
export interface ConnectionProblem {
  /** Index of the entry. */
  readonly index: number;
  readonly member: keyof RegistryConnection;
  /** A sentence without subject. It never contains a secret. */
  readonly sentence: string;
}

/** What is wrong with a list whose entries have the right form. Undefined: nothing. */
export function connectionsProblem(connections: readonly RegistryConnection[]): ConnectionProblem | undefined {
  const servers = new Set<string>();
  const addresses = new Map<string, string>();
  for (const [index, connection] of connections.entries()) {
    const problem = (member: keyof RegistryConnection, sentence: string) => ({ index, member, sentence });
    const server = connection.server.toLowerCase();
    if (servers.has(server)) return problem('server', `${connection.server} stands in the list already`);
    servers.add(server);
    if (connection.username === undefined && connection.password !== undefined)
      return problem('username', 'is missing; give it together with password, or neither');
    if (connection.password === undefined && connection.username !== undefined)
      return problem('password', 'is missing; give it together with username, or neither');
    for (const member of ['certificate_path', 'certificate'] as const)
      if (connection[member] !== undefined && !isTls(connection))
        return problem(member, 'belongs to HTTPS (connection_type 1)');
    if (connection.certificate !== undefined && connection.certificate_path !== undefined)
      return problem('certificate', 'must not stand beside certificate_path');
    const { address, name } = hostOf(connection) ?? {};
    if (address === undefined || name === undefined) continue;
    const other = addresses.get(name.toLowerCase()) ?? address;
    if (other !== address) return problem('hosts_string', `another entry gives ${name} the address ${other}`);
    addresses.set(name.toLowerCase(), address);
  }
  return undefined;
}

/** Is the registry reached over HTTPS? */
export function isTls({ connection_type }: Pick<RegistryConnection, 'connection_type'>): boolean {
  return connection_type === '1';
}

/** The URL of a registry, without a path. */
export function registryUrl(connection: Pick<RegistryConnection, 'connection_type' | 'server'>): string {
  return `${isTls(connection) ? 'https' : 'http'}://${connection.server}`;
}

/** The address and the name in `hosts_string`. Undefined without one. */
export function hostOf({
  hosts_string,
}: Pick<RegistryConnection, 'hosts_string'>): { readonly address: string; readonly name: string } | undefined {
  const [address, name] = hosts_string?.trim().split(/\s+/) ?? [];
  return address === undefined || name === undefined ? undefined : { address, name };
}

interface Properties {
  readonly vnfConfigurableProperties?: Readonly<Record<string, unknown>> | undefined;
}

/** The properties as the row of an instance keeps them: without the passwords of the registries. Empty without properties. */
export function withoutRegistryLogins({ vnfConfigurableProperties: properties }: Properties): {
  readonly vnfConfigurableProperties?: Record<string, unknown>;
} {
  if (properties === undefined) return {};
  const { [REGISTRY_CONNECTIONS]: connections, ...others } = properties;
  const shown = connections === undefined ? {} : { [REGISTRY_CONNECTIONS]: withoutSecrets(connections) };
  return { vnfConfigurableProperties: { ...others, ...shown } };
}
