import { z } from 'zod';
import type { VimConnectionInfo } from './sol-requests.ts';

/** The data for a login to an OpenStack. */
export interface VimCredentials {
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly project: string;
  readonly userDomain: string;
  readonly projectDomain: string;
  /** Check the TLS certificate? */
  readonly verify: boolean;
  /** CA certificates in PEM. Undefined: those that vnflow trusts anyway. */
  readonly caCert?: string;
}

export const OPENSTACK_VIM_TYPE = 'ETSINFV.OPENSTACK_KEYSTONE.V_3';

/** The address of a Keystone. Credentials have members of their own: in a URL they would be shown. */
export const KeystoneUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(1024)
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), { error: 'must not hold user name and password' })
  .refine((url) => !/[?#]/.test(url), { error: 'must have no query and no fragment' });

const text = z.string().min(1).max(1024);
const pem = z.string().max(65_536);

/** CA certificates of a VIM as one text. Tacker's files write `None` where there are none. */
export const Authorities = z.union([pem, z.array(pem).max(100)]).transform((given) => {
  const all = [given].flat().filter((each) => each !== '' && each !== 'None');
  return all.length === 0 ? undefined : all.join('\n');
});

/**
 * The members of `interfaceInfo` that name CA certificates: as SOL003 calls them, as
 * Tacker does, and as vnflow did first.
 */
const AUTHORITY_MEMBERS = ['trustedCertificates', 'ssl_ca_cert', 'caCertificate'] as const;

/** @returns the CA certificates of an `interfaceInfo` */
export function authoritiesOf(interfaceInfo: Readonly<Record<string, unknown>>): string | undefined {
  const given = AUTHORITY_MEMBERS.map((member) => Authorities.safeParse(interfaceInfo[member]).data);
  return given.find((each) => each !== undefined);
}

/** `auth_cred` and `vim_project` of an OpenStack VIM, as the client's VIM files have them. */
export const AuthCred = z.looseObject({
  username: text,
  password: text,
  user_domain_name: text.default('Default'),
  project_domain_name: text.optional(),
  ssl_ca_cert: Authorities.optional(),
  cert_verify: z.union([z.boolean(), z.stringFormat('"True" or "False"', /^(true|false)$/i)]).optional(),
});
export type AuthCred = z.infer<typeof AuthCred>;

export const VimProject = z.looseObject({ name: text, project_domain_name: text.default('Default') });
export type VimProject = z.infer<typeof VimProject>;

export interface RegisteredVim {
  readonly id: string;
  readonly authUrl: string;
  readonly authCred: AuthCred;
  readonly vimProject: VimProject;
  /** The first region in Keystone's catalogue. */
  readonly region?: string | undefined;
}

/** `cert_verify` is a string in clients' files; only an explicit false turns the check off. */
function verifies(authCred: AuthCred): boolean {
  return String(authCred.cert_verify ?? true).toLowerCase() !== 'false';
}

export function vimCredentials({ authUrl, authCred, vimProject }: Omit<RegisteredVim, 'id'>): VimCredentials {
  return {
    authUrl,
    username: authCred.username,
    password: authCred.password,
    project: vimProject.name,
    userDomain: authCred.user_domain_name,
    projectDomain: vimProject.project_domain_name,
    verify: verifies(authCred),
    ...(authCred.ssl_ca_cert === undefined ? {} : { caCert: authCred.ssl_ca_cert }),
  };
}

/**
 * A registered VIM as an entry of `vimConnectionInfo`, as Tacker converts it. Unlike Tacker, vnflow checks certificates
 * unless the VIM turns that off.
 */
export function asVimConnectionInfo(vim: RegisteredVim): VimConnectionInfo {
  const { username, password, project, userDomain, projectDomain, verify, caCert } = vimCredentials(vim);
  return {
    vimId: vim.id,
    vimType: OPENSTACK_VIM_TYPE,
    interfaceInfo: {
      endpoint: vim.authUrl,
      ...(caCert === undefined ? {} : { ssl_ca_cert: caCert }),
      ...(verify ? {} : { skipCertificateHostnameCheck: true, skipCertificateVerification: true }),
    },
    accessInfo: {
      username,
      password,
      ...(vim.region === undefined ? {} : { region: vim.region }),
      project,
      projectDomain,
      userDomain,
    },
  };
}
