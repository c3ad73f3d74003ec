import { stepKind } from './step-kind.ts';

/** A node gets the private registries back that it had before a change. It does not check whether they answer. */
export const restoreRegistries = stepKind({
  input: { slot: 'slot' },
  summary: 'give {node} the private registries back that it had',
  expectedSeconds: 3,
  timeLimitSeconds: 600,
  attempts: 12,
  mustRun: false,
  calls: [
    'the files of connectRegistries, as they were before',
    'systemctl try-restart kubelet, when a login has changed',
  ],
  nodes: { slot: 'visited' },
});
