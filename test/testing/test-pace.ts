import { DEFAULT_PACE, type Pace } from '../../activities/dependencies.ts';

/** The pace for a simulator that runs 200 times faster. */
export const TEST_PACE: Pace = {
  ...DEFAULT_PACE,
  poll: { first: 0.02, longest: 0.2 },
  bootLimit: 60,
  reachLimit: 12,
  connectLimit: 6,
  authGrace: 1,
  consoleGrace: 10,
  consoleEvery: 0.025,
  nodeGrace: 0.25,
  surveyLimit: 2,
  stopLimit: 5,
};
