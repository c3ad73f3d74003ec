import { expect, it } from 'vitest';
import { nodeStates } from './kubernetes-nodes.ts';

it('reads whether nodes are Ready, since when and why not, and the version of their kubelets', () => {
  const node = (name: string, conditions: object[], kubeletVersion = 'v1.26.8') => ({
    metadata: { name },
    status: { conditions, nodeInfo: { kubeletVersion, systemUUID: 'a' } },
  });
  const since = '2026-11-22T18:00:00Z';
  const list = {
    items: [
      node('master1', [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: since },
      ]),
      node('worker1', [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: since }]),
      node('worker2', []),
    ],
  };
  expect(nodeStates(JSON.stringify(list))).toEqual([
    { name: 'master1', ready: true, reason: 'KubeletReady', since, kubelet: 'v1.26.8' },
    { name: 'worker1', ready: false, reason: 'NodeStatusUnknown', since, kubelet: 'v1.26.8' },
    { name: 'worker2', ready: false, kubelet: 'v1.26.8' },
  ]);
  expect(() => nodeStates('{"items": [{}]}')).toThrow();
});
