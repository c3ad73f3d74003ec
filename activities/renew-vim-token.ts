import { VIM_TOKEN_RENEWAL_SECONDS } from '../domain/vnf-kinds/kubernetes-cluster/vim-service-account.ts';
import { findClusterVim, updateClusterVimAccess } from '../store/cluster-vims.ts';
import { findNewestFact } from '../store/operations.ts';
import { secretName } from '../store/secrets.ts';
import type { LeasedContext } from './activity-context.ts';
import { onControlPlane } from './node/control-plane.ts';
import { makeVimAccess, revokeEndlessToken } from './node/vim-access.ts';
import { createSchedule, deleteSchedule } from './schedules.ts';

/**
 * Gives the VIM that a cluster is a new token. The one before stays good until it ends, so that whatever uses it now is
 * not cut off.
 * @returns a sentence for people about the result
 * @throws VnflowError as `onControlPlane` and `makeVimAccess`: the token that the VIM has stays as it is
 */
export async function renewVimToken(context: LeasedContext): Promise<string> {
  const { deps, input } = context;
  const { vnfInstanceId } = input;
  const [vim, cluster] = await Promise.all([
    findClusterVim(deps.db, vnfInstanceId),
    findNewestFact(deps.db, vnfInstanceId, 'cluster'),
  ]);
  if (!vim || !cluster) {
    await deleteSchedule('vim-tokens', vnfInstanceId);
    return 'the cluster is no VIM any more: the schedule is removed';
  }
  return onControlPlane(context, {}, async (node) => {
    const { credentials, ...access } = await makeVimAccess(node, cluster.endpoint);
    const isKept = await deps.db.transaction().execute(async (tx) => {
      const secrets = deps.secrets.within(tx);
      // first the secret, as when the VIM is removed: in another order, the two could wait for each other
      await secrets.put(secretName.vim(vim.id), credentials, vim.id);
      if (await updateClusterVimAccess(tx, vim.id, access)) {
        // a VIM that an earlier release has registered has none
        await createSchedule('vim-tokens', vnfInstanceId, VIM_TOKEN_RENEWAL_SECONDS);
        return true;
      }
      await secrets.removeOwnedBy(vim.id); // a terminate has just removed the VIM
      return false;
    });
    if (!isKept) return 'the VIM was removed meanwhile';
    await revokeEndlessToken(node);
    return `renewed on ${node.node.nodeName}: good until ${access.authCred['expires_at'] ?? 'the account is deleted'}`;
  });
}
