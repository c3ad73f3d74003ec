import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isFinal, OPERATION_STATES } from '../domain/operation/state.ts';
import { LCM_OPERATIONS, OPERATIONS } from '../domain/operations.ts';
import { violatedConstraint } from './constraint.ts';
import { inTransaction } from './in-transaction.ts';
import { json } from './json.ts';
import type { Database } from './open-store.ts';
import type { VimRow } from './vims.ts';

/** A cluster of vnflow as a VIM that others can use. */
export interface ClusterVim {
  readonly vnfInstanceId: string;
  readonly tenant: string;
  readonly name: string;
  readonly authUrl: string;
  /** The access data without secrets. */
  readonly authCred: Record<string, unknown>;
  readonly namespaces: readonly string[];
}

/**
 * Registers a cluster as a VIM, or updates the VIM that the instance has.
 * @returns the id of the VIM; undefined when another VIM of the project has the name
 */
export async function putClusterVim(db: Database, vim: ClusterVim): Promise<string | undefined> {
  try {
    return await inTransaction(db, async (tx) => {
      const own = await findClusterVim(tx, vim.vnfInstanceId);
      if (await findOtherVimNamed(tx, vim)) return undefined;
      return own ? refresh(tx, own.id, vim) : insert(tx, vim);
    });
  } catch (error) {
    if (violatedConstraint(error) === 'unique') return undefined; // another cluster has just taken it
    throw error;
  }
}

type WantedName = Pick<ClusterVim, 'tenant' | 'name' | 'vnfInstanceId'>;

/** Finds a VIM of the project that has the name and does not belong to the instance. */
export async function findOtherVimNamed(db: Database, wanted: WantedName): Promise<VimRow | undefined> {
  const { tenant, name, vnfInstanceId } = wanted;
  return db
    .selectFrom('vim')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('name', '=', name)
    .where((eb) => eb.or([eb('vnfInstanceId', 'is', null), eb('vnfInstanceId', '!=', vnfInstanceId)]))
    .executeTakeFirst();
}

/** Operations that take the name of a VIM from their request. */
const NAMING = OPERATIONS.filter((operation) => LCM_OPERATIONS[operation].factsFrom === 'request');

/** Finds another instance of the project that an open operation will register as a VIM of that name. @returns its id */
export async function findInstanceBecomingVim(db: Database, wanted: WantedName): Promise<string | undefined> {
  const row = await db
    .selectFrom('vnfLcmOpOcc')
    .select('vnfInstanceId')
    .where('tenant', '=', wanted.tenant)
    .where('operation', 'in', NAMING)
    .where('operationState', 'not in', OPERATION_STATES.filter(isFinal))
    .where('vnfInstanceId', '!=', wanted.vnfInstanceId)
    .where(sql`operation_params #>> '{additionalParams,k8s_cluster_installation_param,vim_name}'`, '=', wanted.name)
    .executeTakeFirst();
  return row?.vnfInstanceId;
}

export async function findClusterVim(db: Database, vnfInstanceId: string): Promise<VimRow | undefined> {
  return db.selectFrom('vim').selectAll().where('vnfInstanceId', '=', vnfInstanceId).executeTakeFirst();
}

async function insert(db: Database, vim: ClusterVim): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('vim')
    .values({
      id,
      tenant: vim.tenant,
      type: 'kubernetes',
      description: `Kubernetes cluster of VNF instance ${vim.vnfInstanceId}`,
      vimProject: json({ name: '' }),
      extra: json({}),
      isDefault: false,
      ...columns(vim),
    })
    .execute();
  return id;
}

async function refresh(db: Database, id: string, vim: ClusterVim): Promise<string> {
  await db
    .updateTable('vim')
    .set({ ...columns(vim), updatedAt: new Date() })
    .where('id', '=', id)
    .execute();
  return id;
}

/**
 * Replaces what the VIM of a cluster shows of its credentials, and the namespaces.
 * @returns false when there is no such VIM any more
 */
export async function updateClusterVimAccess(
  db: Database,
  id: string,
  { authCred, namespaces }: Pick<ClusterVim, 'authCred' | 'namespaces'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('vim')
    .set({
      authCred: json(authCred),
      placementAttr: json({ regions: [...namespaces] }),
      updatedAt: new Date(),
    })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The columns that a second registration of the VIM updates. */
function columns({ vnfInstanceId, name, authUrl, authCred, namespaces }: ClusterVim) {
  return {
    vnfInstanceId,
    name,
    authUrl,
    authCred: json(authCred),
    placementAttr: json({ regions: [...namespaces] }),
  };
}
