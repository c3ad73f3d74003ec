import type { ScheduledActivities, StepActivities } from '../domain/activity-contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createDiscoverActivity } from './discover.ts';
import { createNodeActivities } from './nodes.ts';
import { createRegisterVimActivity } from './register-vim.ts';
import { createRemoveWorkersActivity } from './remove-workers.ts';
import { createScaleActivities } from './scale.ts';
import { createSnapshotActivities } from './snapshot.ts';
import { createStackActivities } from './stack.ts';

/** One activity per kind of step, and those of schedules. */
export function createStepActivities(deps: ActivityDependencies): StepActivities & ScheduledActivities {
  return {
    ...createStackActivities(deps),
    ...createDiscoverActivity(deps),
    ...createNodeActivities(deps),
    ...createRegisterVimActivity(deps),
    ...createScaleActivities(deps),
    ...createRemoveWorkersActivity(deps),
    ...createSnapshotActivities(deps),
  };
}
