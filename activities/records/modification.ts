import { changedInfo, modifiedInfo } from '../../domain/modified-info.ts';
import type { OperationRef } from '../../domain/operation/activity-contract.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import type { StateChange } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import { requestOf } from '../facts/request-of.ts';

/** What the end of a MODIFY_INFO writes. The VIM connections stay sealed with the instance; its row has them without secrets. */
export async function modification(
  deps: ActivityDependencies,
  ref: OperationRef,
): Promise<Pick<StateChange, 'instance' | 'changedInfo' | 'also'>> {
  const { vnfInstanceId: owner } = ref;
  const row = await instanceOf(deps, ref);
  const sealed = await deps.secrets.get(secretName.vimConnectionInfo(owner));
  const change = modifiedInfo(
    {
      vnfInstanceName: row.name ?? undefined,
      vnfInstanceDescription: row.description ?? undefined,
      vnfConfigurableProperties: row.vnfConfigurableProperties ?? undefined,
      metadata: row.metadata ?? undefined,
      extensions: row.extensions ?? undefined,
      vimConnectionInfo: (sealed ?? {}) as Record<string, unknown>,
    },
    await requestOf(deps, ref, 'MODIFY_INFO'),
  );
  const { vnfInstanceName: name, vnfInstanceDescription: description, vimConnectionInfo, ...maps } = change;
  const changed = changedInfo(change);
  return {
    instance: {
      ...maps,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(vimConnectionInfo === undefined ? {} : { vimConnectionInfo: withoutSecrets(vimConnectionInfo) }),
    },
    ...(changed === undefined ? {} : { changedInfo: changed }),
    also: async (tx) => {
      if (vimConnectionInfo === undefined) return;
      await deps.secrets.within(tx).put(secretName.vimConnectionInfo(owner), vimConnectionInfo, owner);
    },
  };
}
