import { stepKind } from './step-kind.ts';

/** Binds slots to servers after Heat has changed them. `slot` is the server that was replaced, if exactly one was. */
export const discover = stepKind({
  input: { slot: 'slot?' },
  summary: 'find the servers and their addresses',
  expectedSeconds: 1,
  timeLimitSeconds: 120,
  attempts: 20,
  mustRun: 'later steps and the instance need what it finds',
  calls: [
    'Heat: GET stacks/vnf-{id}/resources?nested_depth=2',
    'Neutron: GET ports, subnets and floating IPs of the nodes',
    'Nova: GET console output (host keys)',
  ],
});
