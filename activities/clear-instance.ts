import type { ClearActivities } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { findStack } from '../openstack/heat.ts';
import { secretName } from '../store/secrets.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { heartbeating } from './attempt/heartbeating.ts';
import { writeAsAttempt } from './attempt/step-attempt.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { currentVimConnection, firstVimConnection, stackName } from './facts/operation-facts.ts';
import { forgetInstance } from './forget-instance.ts';
import { vimSession } from './stack/vim-session.ts';

/**
 * Makes the activity that precedes the deletion of an instance whose instantiate was given up: its stack must be gone
 * by then.
 */
export function createClearActivity(deps: ActivityDependencies): ClearActivities {
  return {
    clearInstance: ({ vnfInstanceId }) =>
      heartbeating(async ({ signal }) => {
        const kept = await deps.secrets.get(secretName.vimConnectionInfo(vnfInstanceId));
        if (kept === undefined) return;
        const instance = await findVnfInstance(deps.db, vnfInstanceId);
        const connection = firstVimConnection(kept, vnfInstanceId);
        const session = vimSession(deps, await currentVimConnection(deps, instance?.tenant ?? '', connection));
        const stack = await findStack(session, stackName(vnfInstanceId), { signal });
        if (stack) {
          throw new VnflowError('VNF_LEFTOVERS', {
            detail: `The instantiation of VnfInstance ${vnfInstanceId} was given up, and its stack ${stack.stack_name} (${stack.stack_status}) is still in the VIM.`,
          });
        }
        await writeAsAttempt(deps, (inside) => forgetInstance(inside, vnfInstanceId));
      }),
  };
}
