import { stepKind } from './step-kind.ts';

/** Removes the data about the servers from the store, at the end of a terminate. */
export const forgetCluster = stepKind({
  input: {},
  summary: 'forget nodes, host keys, the VIM of the cluster and secrets',
  expectedSeconds: 1,
  timeLimitSeconds: 60,
  attempts: 20,
  mustRun: 'secrets and host keys would stay',
});
