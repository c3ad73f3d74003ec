import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ControlPlaneNode,
  healOrder,
  type LiveMember,
  majority,
  proveAddition,
  proveRemoval,
  quorumOf,
  quorumSentence,
  removableMembers,
} from './quorum.ts';

const node = (index: number): ControlPlaneNode => ({
  slot: `masterNode[${index}]`,
  name: `master${index + 11}`,
  address: `10.10.0.${index + 11}`,
});
const member = (index: number, state: Partial<LiveMember> = {}): LiveMember => ({
  id: `a${index}`,
  started: true,
  name: node(index).name,
  peerUrls: [`https://${node(index).address}:2380`],
  learner: false,
  healthy: true,
  ...state,
});
const cluster = (count: number, dead: readonly number[] = []) => ({
  nodes: Array.from({ length: count }, (_, index) => node(index)),
  members: Array.from({ length: count }, (_, index) => member(index, { healthy: !dead.includes(index) })),
});
const slots = (...indices: number[]) => indices.map((index) => node(index).slot);

describe('healOrder', () => {
  it.each([
    ['one dead of three', 3, [1], [1], { dead: slots(1), alive: [] }],
    ['one healthy of three', 3, [], [0], { dead: [], alive: slots(0) }],
    ['two healthy of three, one after the other', 3, [], [0, 2], { dead: [], alive: slots(0, 2) }],
    ['the dead one first', 3, [2], [0, 2], { dead: slots(2), alive: slots(0) }],
    ['two dead of five', 5, [1, 3], [1, 3], { dead: slots(1, 3), alive: [] }],
    ['all of five', 5, [4], [0, 1, 2, 3, 4], { dead: slots(4), alive: slots(0, 1, 2, 3) }],
  ])('heals %s', (_, count, dead, victims, order) => {
    const { nodes, members } = cluster(count, dead);
    expect(healOrder(members, nodes, slots(...victims))).toEqual({ verdict: 'possible', ...order });
  });

  it('refuses two dead of three, with the arithmetic and the members', () => {
    const { nodes, members } = cluster(3, [1, 2]);
    expect(healOrder(members, nodes, slots(1, 2))).toEqual({
      verdict: 'lost',
      sentence:
        'etcd has 3 voters, 1 of them alive; a majority needs 2 (⌊3/2⌋+1): master11 (10.10.0.11) alive, master12 (10.10.0.12) does not answer, master13 (10.10.0.13) does not answer.',
    });
  });

  it('refuses the only control-plane node, dead or alive', () => {
    for (const dead of [[], [0]]) {
      const { nodes, members } = cluster(1, dead);
      expect(healOrder(members, nodes, slots(0)).verdict).toBe('lost');
    }
  });

  it('refuses while a node that is not to be healed is down: no node could join', () => {
    const { nodes, members } = cluster(5, [3]);
    const order = healOrder(members, nodes, slots(0));
    expect(order).toMatchObject({ verdict: 'others-down', sentence: expect.stringContaining('; master14 must vote') });
  });

  it('takes a node whose member was removed already for one that is not there', () => {
    const { nodes, members } = cluster(3);
    expect(healOrder(members.slice(0, 2), nodes, slots(2))).toMatchObject({ dead: slots(2), alive: [] });
  });
});

describe('removableMembers', () => {
  it('removes what never voted first, then the dead, and nothing that belongs to a node that stays', () => {
    const { nodes, members } = cluster(3, [2]);
    const list = [
      ...members,
      member(7, { id: 'leftover', started: false, name: '' }),
      member(8, { id: 'learner', learner: true }),
      member(9, { id: 'stranger' }),
    ];
    expect(removableMembers(list, nodes, slots(2)).map(({ id }) => id)).toEqual(['leftover', 'learner', 'a2']);
  });
});

describe('the arithmetic', () => {
  it('counts voters that never started, and does not count learners', () => {
    const list = [member(0), member(1, { started: false, healthy: false }), member(2, { learner: true })];
    expect(quorumOf(list)).toEqual({ voters: 2, alive: 1, needed: 2, kept: false });
    expect(quorumSentence(list)).toContain('master13 (10.10.0.13) alive, learner');
  });

  it('does not let a living member go while another one is down', () => {
    const { members } = cluster(3, [2]);
    expect(proveRemoval(members, member(0))).toEqual({
      safe: false,
      sentence: expect.stringContaining('without master11 1 of 2 voters would be alive and 2 needed.'),
    });
    expect(proveRemoval(members, member(2)).safe).toBe(true);
    expect(proveAddition(members).safe).toBe(false);
  });
});

/** Plays a heal on a cluster as etcd runs it. @returns the margins of living voters over the majority, or 'refused' */
function replay(count: number, dead: readonly number[], victims: readonly number[]): number[] | 'refused' {
  const { nodes, members: start } = cluster(count, dead);
  const order = healOrder(start, nodes, slots(...victims));
  if (order.verdict !== 'possible') return 'refused';
  let members = start;
  const margins: number[] = [];
  const note = () => {
    const { alive, voters } = quorumOf(members);
    margins.push(alive - majority(voters));
  };
  const leave = (slot: string) => {
    for (const leaving of removableMembers(members, nodes, [slot])) {
      expect(proveRemoval(members, leaving).safe).toBe(true);
      members = members.filter(({ id }) => id !== leaving.id);
      note();
    }
  };
  const join = (slot: string) => {
    expect(proveAddition(members).safe).toBe(true);
    const joining = member(nodes.findIndex((one) => one.slot === slot));
    members = [...members, { ...joining, started: false, healthy: false }];
    if (members.length > 2) note();
    members = [...members.slice(0, -1), joining];
    note();
  };
  order.dead.forEach(leave);
  order.dead.forEach(join);
  for (const slot of order.alive) {
    leave(slot);
    join(slot);
  }
  expect(quorumOf(members)).toMatchObject({ voters: count, alive: count });
  return margins;
}

it('no heal, of any nodes of any cluster, ever leaves fewer living voters than a majority; it refuses only what it must', () => {
  const world = fc.integer({ min: 1, max: 9 }).chain((count) => {
    const some = fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }));
    return fc.record({ count: fc.constant(count), dead: some, victims: some });
  });
  fc.assert(
    fc.property(world, ({ count, dead, victims }) => {
      const margins = replay(count, dead, victims);
      const othersDown = dead.some((index) => !victims.includes(index));
      const lost = count - dead.length < majority(count);
      const only = count === 1 && victims.length === 1;
      expect(margins === 'refused').toBe(lost || othersDown || only);
      if (margins !== 'refused') expect(Math.min(0, ...margins)).toBe(0);
    }),
    { numRuns: 2000 },
  );
});
