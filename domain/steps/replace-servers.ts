import { stepKind } from './step-kind.ts';

/** Heat replaces the server of `slot`, or several `servers` at once; their ports and volumes stay. */
export const replaceServers = stepKind({
  input: { slot: 'slot?', servers: 'slots?' },
  summary: 'replace {node}',
  expectedSeconds: 30,
  timeLimitSeconds: 1500,
  attempts: 20,
  mustRun: 'without it there are no new servers',
  calls: [
    'Nova: DELETE servers/SERVER (its ports, addresses and volumes stay)',
    'Heat: PATCH stacks/NESTED/resources/SERVER (mark_unhealthy)',
    'Heat: PATCH stacks/vnf-{id}',
    'Heat: GET stacks/vnf-{id} until UPDATE_COMPLETE',
  ],
  nodes: { slot: 'replaced', servers: 'replaced' },
});
