import { z } from 'zod';
import { ProxyParameters } from '../../node-proxy.ts';

/** The names of a registry's parameters in a request and in the secrets of an instance. */
export const REGISTRY_PARAMETERS = {
  key: 'private_registry_installation_param',
  keptAs: 'registryParameters',
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
  /** Path of the install script in the package. The guide has no such parameter. */
  script_path: name.optional(),
});
export type RegistryParameters = z.infer<typeof RegistryParameters>;
