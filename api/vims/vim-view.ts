import { isSecretMember } from '../../domain/redaction.ts';
import type { VimRow } from '../../store/vims.ts';

type Free = Record<string, unknown>;

/** Every secret as `***`: this is what the store keeps in the open and the API shows. */
export function maskSecrets(authCred: Free): Free {
  return Object.fromEntries(
    Object.entries(authCred).map(([name, value]) => [name, isSecretMember(name) ? '***' : value]),
  );
}

/** A VIM as Tacker's v1.0 API shows it. */
export function vimView(row: VimRow): Free {
  return {
    id: row.id,
    type: row.type,
    tenant_id: row.tenant,
    name: row.name,
    description: row.description,
    placement_attr: row.placementAttr,
    is_default: row.isDefault,
    created_at: vimTime(row.createdAt),
    updated_at: row.updatedAt && vimTime(row.updatedAt),
    extra: row.extra,
    auth_url: row.authUrl,
    vim_project: row.vimProject,
    auth_cred: maskSecrets(row.authCred),
    status: 'ACTIVE',
  };
}

/** Formats a time as Tacker prints a time of its database: 2024-04-16 04:08:27. */
function vimTime(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}
