import { expect, it } from 'vitest';
import { parseOperationFact, replacedServersKey } from './operation-facts.ts';

it('reads facts that an older release wrote', () => {
  expect(parseOperationFact('restore', { backupId: 'b', takenAt: '2026-11-22T00:00:00Z', revision: '7' })).toEqual({
    backupId: 'b',
  });
  const node = { slot: 'masterNode[0]', name: 'master51', address: '10.10.0.51' };
  expect(parseOperationFact('survey', { nodes: [node], members: [] })).toMatchObject({
    majority: false,
    nodes: [{ slot: 'masterNode[0]', verdict: 'unknown' }],
  });
  expect(parseOperationFact(replacedServersKey('replaceServers-1'), { 'workerNode[0]': 'id' })).toEqual({
    'workerNode[0]': 'id',
  });
});

it('refuses a value that is not of the fact, and has nothing where there is no fact', () => {
  expect(() => parseOperationFact('cluster', { endpoint: 7 })).toThrow();
  expect(parseOperationFact('cluster', undefined)).toBeUndefined();
});
