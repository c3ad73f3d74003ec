import { z } from 'zod';
import { ProxyParameters } from '../../node-proxy.ts';

/** The names of a registry's parameters in a request and in the secrets of an instance. */
export const REGISTRY_PARAMETERS = {
  key: 'private_registry_installation_param',
  keptAs: 'registryParameters',
  keptMembers: ['proxy', 'tls', 'users', 'host_names'],
  /** Clients of the registry have the CA and the login, and would have to be changed with it. */
  fixedMembers: ['tls', 'users', 'host_names'],
  heldMembers: [],
} as const;

/**
 * Where the install script is when the request names none. A package without it, as Tacker's, is installed by vnflow's
 * own script.
 */
export const DEFAULT_SCRIPT = 'Scripts/install_private_registry.sh';

/** The port of sshd, which vnflow needs. */
const SSH_PORT = 22;
const PORT_SENTENCE = 'must be a TCP port from 1 to 65535, as a number or as text';

/** The guide calls it text, and many clients send a number. */
const port = z.preprocess(
  (given) => (typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : given),
  z
    .int(PORT_SENTENCE)
    .min(1, PORT_SENTENCE)
    .max(65_535, PORT_SENTENCE)
    .refine((number) => number !== SSH_PORT, 'must not be 22, on which sshd of the server listens'),
);

const name = z.string().min(1).max(255);

/** bcrypt reads 72 bytes, and ignores the rest. */
const MOST_PASSWORD_BYTES = 72;

/** A login to the registry. A colon would end the name in the header and in the htpasswd file. */
const user = z.object({
  name: z.string().regex(/^[A-Za-z0-9._@-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens, _ or @'),
  password: z.string().regex(/^[\x20-\x7e]{1,72}$/, `must be 1 to ${MOST_PASSWORD_BYTES} printable ASCII characters`),
});
export type RegistryUser = z.infer<typeof user>;

const hostName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i, 'must be a host name');

/** `additionalParams.private_registry_installation_param` of the guide (seeds/003), and where the install script is. */
export const RegistryParameters = z.object({
  ssh_cp_name: name,
  /** What useradd accepts, so that it can never be an option or a shell word. */
  ssh_username: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be a Linux user name'),
  ssh_password: z.string().min(1).max(1024),
  /** Path of the registry's image in the package, made with `docker save`. An empty text means that it is pulled. */
  image_path: z.string().max(255).optional(),
  port_no: port.default(5000),
  proxy: ProxyParameters.optional(),
  /** Whether the registry speaks TLS, with a certificate of a CA of its own. The guide has no such parameter. */
  tls: z.boolean().optional(),
  /** Who may use the registry. Without users everyone may. The guide has no such parameter. */
  users: z
    .array(user)
    .min(1)
    .max(100)
    .refine((users) => new Set(users.map((one) => one.name)).size === users.length, 'has a name twice')
    .optional(),
  /** Names under which clients know the registry, for the certificate, besides its addresses. */
  host_names: z.array(hostName).max(20).optional(),
  /** Path of the install script in the package. The guide has no such parameter. */
  script_path: name.optional(),
});
export type RegistryParameters = z.infer<typeof RegistryParameters>;
