import { stepKind } from './step-kind.ts';

/**
 * Stops a registry and unmounts its volume, so that everything is on it when the server goes. A server that does not
 * answer keeps nothing from being replaced: the volume is as after a power cut.
 */
export const releaseVolume = stepKind({
  input: { slot: 'slot' },
  summary: 'stop the registry on {node} and unmount its volume, which is kept',
  expectedSeconds: 5,
  timeLimitSeconds: 180,
  attempts: 20,
  mustRun: false,
  calls: ['docker stop private_registry; sync; umount /private_registry, on the server'],
  nodes: { slot: 'visited' },
});
