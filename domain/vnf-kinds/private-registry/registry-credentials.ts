import { z } from 'zod';

/** The CA of a registry, in PEM. It is sealed with the instance, and lives as long as it. */
export const RegistryAuthority = z.object({ certificate: z.string(), privateKey: z.string() });
export type RegistryAuthority = z.infer<typeof RegistryAuthority>;

/** The files by which a registry proves what it is, and knows its users. They are made for each new server. */
export const RegistryCredentials = z.object({
  certificate: z.string(),
  privateKey: z.string(),
  /** Names and addresses of the certificate. */
  names: z.array(z.string()),
  /** Undefined when everyone may use the registry. */
  htpasswd: z.string().optional(),
});
export type RegistryCredentials = z.infer<typeof RegistryCredentials>;
