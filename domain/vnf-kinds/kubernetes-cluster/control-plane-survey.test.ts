import { expect, it } from 'vitest';
import { survey } from '../../../test/testing/domain/survey.ts';
import {
  confirmedBy,
  type EtcdSight,
  isSettled,
  isWhole,
  judgeControlPlane,
  type NodeSight,
  type ServerSight,
  whyUndecided,
} from './control-plane-survey.ts';

const node = (index: number) => ({ slot: `m[${index}]`, name: `m${index}`, address: `10.0.0.${index}` });
const silent: EtcdSight = { kind: 'unclear', seen: 'no answer' };
const nova = (status: string): ServerSight => ({ kind: 'status', status });
const sight = (index: number, etcd: EtcdSight, server?: ServerSight): NodeSight => ({
  node: node(index),
  etcd,
  ...(server ? { server } : {}),
});
const verdicts = (sights: readonly NodeSight[]) => judgeControlPlane(sights).nodes.map(({ verdict }) => verdict);
const majority = (healthy: readonly number[], of = [0, 1, 2], prefix = 'a'): EtcdSight => ({
  kind: 'majority',
  members: of.map((index) => ({
    ...{ id: `${prefix}${index}`, started: true, name: `m${index}`, peerUrls: [], learner: false },
    healthy: healthy.includes(index),
  })),
});

it('unreachable is not dead: what does not answer while Nova says ACTIVE, or something on the way, or nothing, is unknown', () => {
  for (const server of [
    nova('ACTIVE'),
    ...['REBOOT', 'HARD_REBOOT', 'MIGRATING', 'VERIFY_RESIZE', 'RESIZE', 'BUILD', 'UNKNOWN', 'SOMETHING'].map(nova),
    { kind: 'unclear', seen: 'Nova did not answer' } as const,
    undefined,
  ]) {
    expect(verdicts([sight(0, silent, server)]), JSON.stringify(server)).toEqual(['unknown']);
  }
});

it('is dead when its server is gone or off, or when it was reached and runs no etcd; an etcd that runs outweighs Nova', () => {
  expect(verdicts([sight(0, silent, { kind: 'gone' }), sight(1, silent, nova('SHUTOFF'))])).toEqual(['dead', 'dead']);
  expect(verdicts([sight(0, { kind: 'stopped' }, nova('ACTIVE'))])).toEqual(['dead']);
  expect(verdicts([sight(0, { kind: 'alone' }, nova('ERROR'))])).toEqual(['alive']);
});

it('a majority decides whether an unreachable node is alive or dead', () => {
  const judged = judgeControlPlane([sight(0, majority([0, 1])), { node: node(1) }, sight(2, silent, nova('ACTIVE'))]);
  expect(judged.majority).toBe(true);
  expect(judged.nodes.map(({ verdict }) => verdict)).toEqual(['alive', 'alive', 'dead']);
  expect(whyUndecided(judged)).toBeUndefined();
});

it('believes no majority that two nodes prove of different clusters, nor one whose members do not answer', () => {
  const split = judgeControlPlane([
    sight(0, majority([0], [0], 'b')),
    sight(1, majority([1, 2])),
    sight(2, majority([1, 2])),
  ]);
  expect(split).toMatchObject({ majority: false });
  expect(split.nodes.map(({ verdict }) => verdict)).toEqual(['alive', 'alive', 'alive']);
  expect(judgeControlPlane([sight(0, majority([0])), sight(1, silent), sight(2, silent)]).majority).toBe(false);
});

it('looks again while anything may change: an unknown node, an etcd that is down, members that may elect a leader', () => {
  const of = (...sights: NodeSight[]) => judgeControlPlane(sights);
  const off = (index: number) => sight(index, silent, nova('SHUTOFF'));
  const alone = (index: number) => sight(index, { kind: 'alone' });
  expect(isSettled(of(alone(0), off(1), off(2)))).toBe(true);
  expect(isSettled(of(alone(0), off(1), sight(2, silent, nova('ACTIVE'))))).toBe(false);
  expect(isSettled(of(alone(0), off(1), sight(2, { kind: 'stopped' })))).toBe(false);
  expect(isSettled(of(alone(0), alone(1), off(2)))).toBe(false);
  expect(whyUndecided(of(alone(0), alone(1), off(2)))).toContain('etcd runs on 2 of 3 control-plane nodes');
  expect(isSettled(survey(3, [1]))).toBe(true);
  expect([isWhole(survey(3, [])), isWhole(survey(3, [1])), isWhole(of(alone(0)))]).toEqual([true, false, false]);
});

it('no node counts as dead after a single look', () => {
  const before = judgeControlPlane([sight(0, silent, nova('ACTIVE')), sight(1, { kind: 'stopped' })]);
  const last = judgeControlPlane([sight(0, { kind: 'stopped' }), sight(1, { kind: 'stopped' })]);
  expect(confirmedBy(before, last).nodes.map(({ verdict }) => verdict)).toEqual(['unknown', 'dead']);
});
