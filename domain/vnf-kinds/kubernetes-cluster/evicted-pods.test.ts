import { expect, it } from 'vitest';
import { evictedPods } from './evicted-pods.ts';

interface PodFacts {
  readonly name: string;
  readonly owner?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly phase?: string;
}

const pods = (...found: PodFacts[]) =>
  JSON.stringify({
    items: found.map(({ name, owner = 'ReplicaSet', labels, annotations, phase = 'Running' }) => ({
      metadata: { namespace: 'shop', name, labels, annotations, ownerReferences: [{ kind: owner, name: 'x' }] },
      spec: { nodeName: 'worker57' },
      status: { phase },
    })),
  });

const budgets = (selector: object | undefined, disruptionsAllowed = 0, namespace = 'shop') =>
  JSON.stringify({
    items: [{ metadata: { namespace, name: 'web' }, spec: { selector }, status: { disruptionsAllowed } }],
  });
const NONE = JSON.stringify({ items: [] });

it('names what a drain evicts: no pods of DaemonSets, none of the kubelet itself, none that has ended', () => {
  const found = evictedPods(
    pods(
      { name: 'web-1' },
      { name: 'cilium-x', owner: 'DaemonSet' },
      { name: 'etcd-m', owner: 'Node', annotations: { 'kubernetes.io/config.mirror': 'a' } },
      { name: 'job-1', phase: 'Succeeded' },
      { name: 'starting', phase: 'Pending' },
    ),
    NONE,
  );
  expect(found).toEqual([
    { namespace: 'shop', name: 'web-1', node: 'worker57' },
    { namespace: 'shop', name: 'starting', node: 'worker57' },
  ]);
});

it.each([
  ['equal labels', { matchLabels: { app: 'web' } }, true],
  ['other labels', { matchLabels: { app: 'db' } }, false],
  ['one of several values', { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
  ['none of several values', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
  ['a label that is there', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
  ['a label that is not there', { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, true],
  ['an empty selector: the whole namespace', {}, true],
  ['no selector: nothing', undefined, false],
])('tells the budget that covers a pod: %s', (_, selector, covered) => {
  const [pod] = evictedPods(pods({ name: 'web-1', labels: { app: 'web' } }), budgets(selector));
  expect(pod?.budget).toEqual(covered ? { name: 'web', disruptionsAllowed: 0 } : undefined);
});

it('a budget counts in its own namespace only', () => {
  const [pod] = evictedPods(pods({ name: 'web-1' }), budgets({}, 1, 'elsewhere'));
  expect(pod?.budget).toBeUndefined();
});

it('refuses what is no list of pods', () => {
  expect(() => evictedPods('Error from server', NONE)).toThrow(SyntaxError);
  expect(() => evictedPods('{"items":[{}]}', NONE)).toThrow();
  expect(() => evictedPods(pods({ name: 'web\u001b[2J' }), NONE)).toThrow();
});
