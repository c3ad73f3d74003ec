import { changedInfo, modifiedInfo } from '../../domain/modified-info.ts';
import { withoutSecrets } from '../../domain/redaction.ts';
import { withoutRegistryLogins } from '../../domain/vnf-kinds/kubernetes-cluster/registry-connections.ts';
import { reconfiguredVnf } from '../../planning/make-plan.ts';
import { readFreeInfo, sealFreeInfo } from '../../store/free-info.ts';
import type { StateChange } from '../../store/operations.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { readRequest } from '../facts/read-request.ts';

/**
 * Makes what the end of a MODIFY_INFO writes. The VIM connections and the parameters of the kind of VNF stay sealed with
 * the instance; its row has what was changed without secrets.
 */
export async function readModification(
  context: ActivityContext,
): Promise<Pick<StateChange, 'instance' | 'changedInfo' | 'also'>> {
  const { deps, input } = context;
  const { vnfInstanceId: owner } = input;
  const row = await readInstance(context);
  const request = await readRequest(context, 'MODIFY_INFO');
  const sealed = await deps.secrets.get(secretName.vimConnectionInfo(owner));
  const change = modifiedInfo(
    {
      vnfInstanceName: row.name ?? undefined,
      vnfInstanceDescription: row.description ?? undefined,
      ...(await readFreeInfo(deps.secrets, row)),
      vimConnectionInfo: (sealed ?? {}) as Record<string, unknown>,
    },
    request,
  );
  const { vnfInstanceName: name, vnfInstanceDescription: description, vimConnectionInfo, ...maps } = change;
  const changed = changedInfo(change);
  const kept = (await reconfiguredVnf(deps, { instance: row, request }))?.vnf.kept;
  return {
    instance: {
      ...withoutSecrets(maps),
      ...withoutSecrets(withoutRegistryLogins(maps)),
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(vimConnectionInfo === undefined ? {} : { vimConnectionInfo: withoutSecrets(vimConnectionInfo) }),
    },
    ...(changed === undefined ? {} : { changedInfo: changed }),
    also: async (tx) => {
      const secrets = deps.secrets.within(tx);
      await sealFreeInfo(secrets, owner, maps);
      if (kept) await secrets.put(secretName.kindParameters(owner, kept.as), kept.parameters, owner);
      if (vimConnectionInfo === undefined) return;
      await secrets.put(secretName.vimConnectionInfo(owner), vimConnectionInfo, owner);
    },
  };
}
