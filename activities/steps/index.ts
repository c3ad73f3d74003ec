import type { ScheduledActivities, StepActivities } from '../../domain/operation/activity-contract.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createStackActivities } from './apply-stack.ts';
import { createDiscoverActivity } from './discover.ts';
import { createScaleActivities } from './grow-stack.ts';
import { createNodeActivities } from './join-worker.ts';
import { createLoadBalancerActivities } from './load-balancer.ts';
import { createRecallNodesActivity } from './recall-nodes.ts';
import { createRecreateStackActivity } from './recreate-stack.ts';
import { createRegisterVimActivity } from './register-vim.ts';
import { createRemoveControlPlaneActivity } from './remove-control-plane.ts';
import { createRemoveWorkersActivity } from './remove-workers.ts';
import { createReplaceServersActivity } from './replace-servers.ts';
import { createRestoreActivity } from './restore-control-plane.ts';
import { createSnapshotActivities } from './snapshot-etcd.ts';
import { createStopServersActivity } from './stop-servers.ts';

/** One activity per kind of step, and those of schedules. */
export function createStepActivities(deps: ActivityDependencies): StepActivities & ScheduledActivities {
  return {
    ...createStackActivities(deps),
    ...createDiscoverActivity(deps),
    ...createNodeActivities(deps),
    ...createRegisterVimActivity(deps),
    ...createLoadBalancerActivities(deps),
    ...createScaleActivities(deps),
    ...createRemoveWorkersActivity(deps),
    ...createSnapshotActivities(deps),
    ...createStopServersActivity(deps),
    ...createRestoreActivity(deps),
    ...createRecallNodesActivity(deps),
    ...createRemoveControlPlaneActivity(deps),
    ...createReplaceServersActivity(deps),
    ...createRecreateStackActivity(deps),
  };
}
