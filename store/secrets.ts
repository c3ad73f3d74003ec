import type { Database } from './open-store.ts';
import { keyId, type MasterKey, seal, unseal } from './seal.ts';

/** Sealed values by name. A secret is deleted together with its owner (a VNF instance, an operation or a VIM). */
export interface Secrets {
  put(name: string, value: unknown, owner: string): Promise<void>;
  /** The value. Undefined when there is no such secret. */
  get(name: string): Promise<unknown>;
  /** Stores the value unless the secret exists. Of two calls at a time, the first decides. @returns the stored value */
  getOrPut(name: string, value: unknown, owner: string): Promise<unknown>;
  remove(name: string): Promise<void>;
  removeOwnedBy(owner: string): Promise<void>;
  /** The secrets as seen and written by an open transaction. */
  within(tx: Database): Secrets;
}

export function createSecrets(db: Database, key: MasterKey): Secrets {
  return {
    put: async (name, value, owner) => {
      const sealed = seal(key, name, JSON.stringify(value));
      await db
        .insertInto('secret')
        .values({ name, owner, sealed, keyId: keyId(key) })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed, owner, keyId: keyId(key) }))
        .execute();
    },
    get: async (name) => {
      const row = await db.selectFrom('secret').select(['sealed', 'keyId']).where('name', '=', name).executeTakeFirst();
      return row && (JSON.parse(unseal(key, name, row.sealed, row.keyId)) as unknown);
    },
    getOrPut: async (name, value, owner) => {
      const sealed = seal(key, name, JSON.stringify(value));
      await db
        .insertInto('secret')
        .values({ name, owner, sealed, keyId: keyId(key) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      const row = await db
        .selectFrom('secret')
        .select(['sealed', 'keyId'])
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return JSON.parse(unseal(key, name, row.sealed, row.keyId)) as unknown;
    },
    remove: async (name) => {
      await db.deleteFrom('secret').where('name', '=', name).execute();
    },
    removeOwnedBy: async (owner) => {
      await db.deleteFrom('secret').where('owner', '=', owner).execute();
    },
    within: (tx) => createSecrets(tx, key),
  };
}

/** The names of all secrets. */
export const secretName = {
  operationParams: (opOccId: string) => `operation/${opOccId}/params`,
  vimConnectionInfo: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/vimConnectionInfo`,
  /** `metadata`, `extensions` and `vnfConfigurableProperties`, where something in them looks like a secret. */
  freeInfo: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/freeInfo`,
  /** Of the kind of the VNF. @param keptAs as the kind says */
  kindParameters: (vnfInstanceId: string, keptAs: string) => `vnf/${vnfInstanceId}/${keptAs}`,
  /** The Heat templates that were generated for the stack of an instance. */
  generatedTemplates: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/generatedTemplates`,
  /** Volumes that outlive the stacks of an instance. */
  keptVolumes: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/keptVolumes`,
  joinCredentials: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/joinCredentials`,
  /** The CA of a registry, with its key. */
  registryAuthority: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/registryAuthority`,
  /** Certificate, key and htpasswd file of the server that an operation makes. */
  registryCredentials: (opOccId: string) => `operation/${opOccId}/registryCredentials`,
  vrrpPassword: (vnfInstanceId: string) => `vnf/${vnfInstanceId}/vrrpPassword`,
  stackBlueprint: (opOccId: string) => `operation/${opOccId}/stackBlueprint`,
  /** What user data of the package has made for an operation. */
  packageUserData: (opOccId: string) => `operation/${opOccId}/packageUserData`,
  /** What the hooks of an operation keep for each other (`user_script_err_handling_data`). */
  hookData: (opOccId: string) => `operation/${opOccId}/hookData`,
  /** A kubeconfig between the activity that made it and the answer of the API. */
  kubeconfig: (requestId: string) => `kubeconfig/${requestId}`,
  /** Keys of the audit trail's chain that come from earlier master keys. */
  chainKeys: () => 'audit/chainKeys',
  packageUpload: (packageId: string) => `package/${packageId}/upload`,
  vim: (vimId: string) => `vim/${vimId}`,
} as const;
