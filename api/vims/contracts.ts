import { z } from 'zod';
import { type Contracts, removes, shows } from '../openapi/contract.ts';
import { RegisterVim, UpdateVim } from './vim-requests.ts';

const freeForm = z.record(z.string(), z.unknown());

/** A VIM as Tacker's v1.0 API shows it; secrets are `***`. */
const VimMembers = z
  .strictObject({
    id: z.uuid(),
    type: z.enum(['openstack', 'kubernetes']),
    tenant_id: z.string(),
    name: z.string(),
    description: z.string(),
    placement_attr: freeForm,
    is_default: z.boolean(),
    created_at: z.string(),
    updated_at: z.string().nullable(),
    extra: freeForm,
    auth_url: z.string(),
    vim_project: freeForm,
    auth_cred: freeForm,
    status: z.literal('ACTIVE'),
  })
  .meta({ id: 'Vim' });

const Vim = z.strictObject({ vim: VimMembers });

const VimQuery = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  fields: z.string().optional(),
});

export const VIM_CONTRACTS: Contracts = {
  '/vims': {
    GET: shows('List VIMs', z.strictObject({ vims: z.array(VimMembers.partial()) }), VimQuery),
    POST: { summary: 'Register a VIM', body: RegisterVim, answers: { 201: Vim } },
  },
  '/vims/{id}': {
    GET: shows('Show a VIM', Vim),
    PUT: { summary: 'Change a VIM', body: UpdateVim, answers: { 200: Vim } },
    DELETE: removes('Delete a VIM'),
  },
};
