import { stepKind } from './step-kind.ts';

/** Fences control-plane nodes before a cluster is restored. */
export const stopServers = stepKind({
  input: { servers: 'slots' },
  summary: 'stop the servers of {node}',
  expectedSeconds: 10,
  timeLimitSeconds: 900,
  attempts: 12,
  mustRun: 'a member of the old cluster that runs on would make two clusters of one',
  calls: ['Nova: POST servers/SERVER/action (os-stop)', 'Nova: GET servers/SERVER until it is SHUTOFF, or gone'],
});
