import { stepKind } from './step-kind.ts';

/** At the end of a terminate, what the store knows of the servers goes. */
export const forgetCluster = stepKind({
  input: {},
  summary: 'forget nodes, host keys, the VIM of the cluster and secrets',
  expectedSeconds: 1,
  timeLimitSeconds: 60,
  attempts: 20,
  mustRun: 'secrets and host keys would stay',
});
