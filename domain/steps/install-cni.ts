import { stepKind } from './step-kind.ts';

/** The network of a new cluster, from its first control-plane node. */
export const installCni = stepKind({
  input: { slot: 'slot' },
  summary: 'install Cilium from {node}',
  expectedSeconds: 50,
  timeLimitSeconds: 1800,
  attempts: 8,
  mustRun: false,
  phase: 'cni',
  nodes: { slot: 'visited' },
});
