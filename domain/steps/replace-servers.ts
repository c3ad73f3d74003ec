import type { StepKindFacts } from './step-kind.ts';

/** Heat replaces servers; their ports and volumes stay. */
export const replaceServers = {
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
  effect: { named: 'replaced' },
} as const satisfies StepKindFacts;
