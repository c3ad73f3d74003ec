import { z } from 'zod';
import { AuthCred, KeystoneUrl, VimProject } from '../../domain/vim-connection.ts';
import { GivenAuthorities } from './authorities.ts';

/** `auth_cred` of a request, with CA certificates that can be read. */
export const GivenAuthCred = AuthCred.extend({ ssl_ca_cert: GivenAuthorities.optional() });

const shortText = z.string().max(255);
const freeForm = z.record(z.string(), z.unknown());
/** Clients send booleans as JSON or as text. */
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

/** Body of POST /v1.0/vims. */
export const RegisterVim = z.object({
  vim: z.object({
    type: z.literal('openstack', { error: 'must be "openstack"; clusters of vnflow need no registration by hand' }),
    auth_url: KeystoneUrl,
    auth_cred: GivenAuthCred,
    vim_project: VimProject,
    name: shortText.default(''),
    description: z.string().max(1024).default(''),
    is_default: flag.default(false),
    extra: freeForm.default({}),
  }),
});
export type RegisterVim = z.infer<typeof RegisterVim>;

/** A member that no request may have. OpenAPI has no word for that, so the metadata say it in JSON Schema. */
function fixed(error: string) {
  return z.never({ error }).meta({ type: 'string', not: {}, description: error });
}

/** Body of PUT /v1.0/vims/{id}: type and auth_url stay. Credentials may be given in part. */
export const UpdateVim = z.object({
  vim: z.object({
    type: fixed('cannot be changed').optional(),
    auth_url: fixed('cannot be changed; register another VIM').optional(),
    auth_cred: freeForm.optional(),
    vim_project: freeForm.optional(),
    name: shortText.optional(),
    description: z.string().max(1024).optional(),
    is_default: flag.optional(),
    extra: freeForm.optional(),
  }),
});
export type UpdateVim = z.infer<typeof UpdateVim>;
