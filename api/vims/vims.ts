import { randomUUID } from 'node:crypto';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { VimProject, vimCredentials } from '../../domain/vim-connection.ts';
import { unsealedVim } from '../../planning/registered-vim.ts';
import { violatedConstraint } from '../../store/constraint.ts';
import { secretName } from '../../store/secrets.ts';
import { updateVim } from '../../store/vim-changes.ts';
import { deleteVim, findVim, insertVim, listVims, type VimRow } from '../../store/vims.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoints, withBody, withoutBody } from '../http/endpoint.ts';
import { isResourceId } from '../http/resource-id.ts';
import { checkChangeable, checkUnused } from './cluster-vim.ts';
import { GivenAuthCred, RegisterVim, UpdateVim } from './vim-requests.ts';
import { maskSecrets, vimView } from './vim-view.ts';

/** `/v1.0/vims`: register, list, show, update, delete. */
export function vimResources(context: ApiContext): Record<string, Endpoints> {
  return {
    '/vims': {
      POST: withBody(RegisterVim, (request, { vim }) => register(context, request.caller.tenant, vim)),
      GET: withoutBody(async ({ caller, query }) => ({
        status: 200,
        json: { vims: filtered((await listVims(context.db, caller.tenant)).map(vimView), query) },
      })),
    },
    '/vims/:id': {
      GET: withoutBody(async (request) => showVim(200, await vimOf(context, request))),
      PUT: withBody(UpdateVim, async (request, { vim }) => {
        const row = await vimOf(context, request);
        checkChangeable(row, vim);
        return change(context, row, vim);
      }),
      DELETE: withoutBody(async (request) => {
        const row = await vimOf(context, request);
        await checkUnused(context, row);
        const { id } = row;
        await deleteVim(context.db, id);
        await context.secrets.removeOwnedBy(id);
        return { status: 204 };
      }),
    },
  };
}

function showVim(status: number, row: VimRow): ApiAnswer {
  return { status, json: { vim: vimView(row) } };
}

/** @throws VnflowError NOT_FOUND */
async function vimOf(
  { db }: ApiContext,
  { params, caller }: { params: ApiRequest['params']; caller: Pick<Caller, 'tenant'> },
): Promise<VimRow> {
  const { id } = params;
  const row = isResourceId(id) ? await findVim(db, caller.tenant, id) : undefined;
  if (!row) throw new VnflowError('NOT_FOUND', { detail: `VIM ${(id ?? '').slice(0, 64)} not found.` });
  return row;
}

/** Logs in first: a VIM that cannot be used is not registered. */
async function register(context: ApiContext, tenant: string, vim: RegisterVim['vim']): Promise<ApiAnswer> {
  const { db, secrets, checkVim } = context;
  const { regions } = await checkVim(
    vimCredentials({ authUrl: vim.auth_url, authCred: vim.auth_cred, vimProject: vim.vim_project }),
  );
  const id = randomUUID();
  await secrets.put(secretName.vim(id), vim.auth_cred, id);
  try {
    await insertVim(db, {
      id,
      tenant,
      name: vim.name,
      description: vim.description,
      type: vim.type,
      authUrl: vim.auth_url,
      vimProject: withoutSecrets(vim.vim_project),
      authCred: maskSecrets(vim.auth_cred),
      extra: withoutSecrets(vim.extra),
      isDefault: vim.is_default,
      placementAttr: { regions },
    });
  } catch (error) {
    await secrets.removeOwnedBy(id);
    throw duplicateDefault(error);
  }
  return showVim(201, await vimOf(context, { params: { id }, caller: { tenant } }));
}

async function change(context: ApiContext, row: VimRow, vim: UpdateVim['vim']): Promise<ApiAnswer> {
  const { db, secrets } = context;
  const credentials = vim.auth_cred || vim.vim_project ? await changedCredentials(context, row, vim) : undefined;
  try {
    await updateVim(db, row.id, {
      name: vim.name,
      description: vim.description,
      isDefault: vim.is_default,
      extra: vim.extra && withoutSecrets(vim.extra),
      vimProject: credentials && withoutSecrets(credentials.vimProject),
      authCred: credentials && maskSecrets(credentials.authCred),
      placementAttr: credentials && { regions: credentials.regions },
    });
  } catch (error) {
    throw duplicateDefault(error);
  }
  if (credentials) await secrets.put(secretName.vim(row.id), credentials.authCred, row.id);
  return showVim(200, await vimOf(context, { params: { id: row.id }, caller: { tenant: row.tenant } }));
}

/** The old credentials with the new members over them, after a login with them. */
async function changedCredentials(context: ApiContext, row: VimRow, vim: UpdateVim['vim']) {
  const known = await unsealedVim(context, row);
  const authCred = parseMember(GivenAuthCred, { ...known.authCred, ...vim.auth_cred }, ['vim', 'auth_cred']);
  const vimProject = parseMember(VimProject, { ...known.vimProject, ...vim.vim_project }, ['vim', 'vim_project']);
  const { regions } = await context.checkVim(vimCredentials({ authUrl: row.authUrl, authCred, vimProject }));
  return { authCred, vimProject, regions };
}

function duplicateDefault(error: unknown): unknown {
  if (violatedConstraint(error) !== 'unique') return error;
  return new VnflowError('CONFLICT', {
    detail: 'is_default: the project has a default VIM already; set is_default of that one to false first.',
    cause: error,
  });
}

const NO_FILTER = new Set(['fields', 'limit', 'marker', 'sort_key', 'sort_dir']);

/** `?name=…&fields=id`: members must equal one of the values given for them; `fields` chooses what is shown. */
function filtered(vims: readonly Record<string, unknown>[], query: URLSearchParams): Record<string, unknown>[] {
  const names = [...new Set(query.keys())].filter((name) => !NO_FILTER.has(name));
  const fields = query.getAll('fields').flatMap((text) => text.split(','));
  return vims
    .filter((vim) => names.every((name) => query.getAll(name).some((value) => equals(vim, name, value))))
    .map((vim) =>
      fields.length === 0 ? vim : Object.fromEntries(Object.entries(vim).filter(([name]) => fields.includes(name))),
    );
}

function equals(vim: Record<string, unknown>, name: string, value: string): boolean {
  if (!Object.hasOwn(vim, name)) return false;
  const member = vim[name];
  return typeof member === 'boolean' ? String(member) === value.toLowerCase() : String(member) === value;
}
