import { sealFreeInfo } from '../../store/free-info.ts';
import type { Database } from '../../store/open-store.ts';
import { secretName } from '../../store/secrets.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readVnf } from '../facts/plan-question.ts';
import { readRequest } from '../facts/read-request.ts';

/**
 * Reads the access to the VIM and the parameters of the kind of VNF from the request of an instantiate. Later
 * operations need them.
 * @returns a function that seals them with the instance, in a transaction
 */
export async function readKeptAccess(context: ActivityContext): Promise<(tx: Database) => Promise<void>> {
  const { deps, input } = context;
  const { vimConnectionInfo, extensions, vnfConfigurableProperties } = await readRequest(context, 'INSTANTIATE');
  const { kept } = await readVnf(context);
  const { vnfInstanceId: owner } = input;
  return async (tx) => {
    const secrets = deps.secrets.within(tx);
    await secrets.put(secretName.vimConnectionInfo(owner), vimConnectionInfo, owner);
    await sealFreeInfo(secrets, owner, { extensions, vnfConfigurableProperties });
    if (kept) await secrets.put(secretName.kindParameters(owner, kept.as), kept.parameters, owner);
  };
}
