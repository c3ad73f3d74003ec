import { RegistryParameters } from '../../domain/vnf-kinds/private-registry/parameters.ts';
import type { NodeContext } from '../node/node-session.ts';
import { readRegistryAuthority } from './registry-credentials.ts';

/** How the registry of an instance is reached: by its clients, and by vnflow from the server itself. */
export interface RegistryAccess {
  readonly scheme: 'http' | 'https';
  /** The address of the server, which its clients use. */
  readonly host: string;
  readonly port: number;
  /** PEM of the CA that has signed the registry's certificate. Undefined with `http`. */
  readonly ca?: string;
  /** Undefined when the registry asks for no login. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** Describes how to reach the registry on the server of the session. The one place that knows scheme, CA and login. */
export async function registryAccess(context: NodeContext): Promise<RegistryAccess> {
  const { port_no: port, tls, users: [user] = [] } = RegistryParameters.parse(context.parameters);
  const host = context.node.nicAddress;
  if (!tls) return { scheme: 'http', host, port };
  const { certificate: ca } = await readRegistryAuthority(context);
  return { scheme: 'https', host, port, ca, ...(user && { login: { username: user.name, password: user.password } }) };
}

/** The URL of the registry for people and commands. It holds no login. */
export function registryUrl({ scheme, host, port }: RegistryAccess): string {
  return `${scheme}://${host}:${port}`;
}
