import { describe, expect, it } from 'vitest';
import { survey } from '../../../test/testing/domain/survey.ts';
import { slotName } from '../../slot.ts';
import {
  objectToRemoval,
  objectToReplacement,
  objectToRestore,
  objectToSource,
  verdictsOf,
} from './control-plane-evidence.ts';

const master = (index: number) => slotName('masterNode', index);
const all = [0, 1, 2].map(master);

describe('a restore', () => {
  const before = verdictsOf(survey(3, [1, 2]));
  const leaving = [master(1), master(2)];

  it('goes on while everything is as it was, also when those that leave were stopped', () => {
    expect(objectToRestore(before, survey(3, [1, 2]), leaving)).toBeUndefined();
    expect(
      objectToRestore(verdictsOf(survey(3, [2])), survey(3, [1, 2]), leaving),
      'stopped by vnflow',
    ).toBeUndefined();
    expect(objectToRestore(verdictsOf(survey(1, [])), survey(1, [0]), [master(0)])).toBeUndefined();
  });

  it.each([
    ['a dead one answers', before, survey(3, [2]), leaving, 'CONTROL_PLANE_CHANGED', false],
    ['one is unknown', before, survey(3, [1], [2]), leaving, 'CONTROL_PLANE_UNKNOWN', true],
    ['the one that stays is dead', before, survey(3, [0, 1, 2]), leaving, 'CONTROL_PLANE_CHANGED', true],
    ['the one that stays is unknown', before, survey(3, [1, 2], [0]), leaving, 'CONTROL_PLANE_UNKNOWN', true],
    ['all live again', verdictsOf(survey(3, [0, 1, 2])), survey(3, []), all, 'CONTROL_PLANE_CHANGED', false],
    ['a majority is there', verdictsOf(survey(3, [])), survey(3, []), leaving, 'CONTROL_PLANE_CHANGED', false],
    ['the only one answers', verdictsOf(survey(1, [0])), survey(1, []), [master(0)], 'CONTROL_PLANE_CHANGED', false],
    [
      'the only one is unknown',
      verdictsOf(survey(1, [0])),
      survey(1, [], [0]),
      [master(0)],
      'CONTROL_PLANE_UNKNOWN',
      true,
    ],
    ['nobody was asked before', {}, survey(3, [1, 2]), leaving, 'CONTROL_PLANE_CHANGED', false],
  ])('is refused when %s', (_, planned, now, going, code, mayPass) => {
    expect(objectToRestore(planned, now, going)).toMatchObject({ code, mayPass });
  });

  it('begins with the last state of the node that is alive; with an older state only for a single node that was not reachable', () => {
    const single = (dead: readonly number[], unknown: readonly number[] = []) => survey(1, dead, unknown);
    const source = master(0);
    expect(objectToSource(verdictsOf(single([])), single([]), source)).toBeUndefined();
    expect(objectToSource(verdictsOf(single([], [0])), single([]), source)).toBeUndefined();
    expect(objectToSource(verdictsOf(single([], [0])), single([0]), source)).toBeUndefined();
    expect(objectToSource(verdictsOf(single([])), single([0]), source)?.code).toBe('CONTROL_PLANE_CHANGED');
    expect(objectToSource(verdictsOf(single([])), single([], [0]), source)?.code).toBe('CONTROL_PLANE_UNKNOWN');
    expect(objectToSource(before, survey(3, [1, 2]), source)).toBeUndefined();
    expect(objectToSource(before, survey(3, [1]), source)?.code).toBe('CONTROL_PLANE_CHANGED');
  });
});

describe('servers of a cluster that keeps its majority', () => {
  const before = verdictsOf(survey(3, [1]));

  it.each([
    ['its member is gone', survey(3, [1]), undefined],
    ['it votes again', survey(3, []), 'CONTROL_PLANE_CHANGED'],
    ['another one is down', { ...survey(5, [1, 2]) }, 'CONTROL_PLANE_CHANGED'],
    ['nobody is reached', survey(3, [], [0, 1, 2]), 'CONTROL_PLANE_UNKNOWN'],
    ['the majority is lost', survey(3, [0, 1]), 'QUORUM_LOST'],
  ])('%s', (_, now, code) => {
    expect(objectToReplacement(before, now, [master(1)])?.code).toBe(code);
  });
});

describe('a member', () => {
  const removal = (planned: readonly number[], now: readonly number[], victim: number) => {
    const { members, nodes } = survey(3, now);
    return objectToRemoval(verdictsOf(survey(3, planned)), { members, nodes, slot: master(victim) });
  };

  it.each([
    ['dead as planned', [1], [1], 1, undefined],
    ['alive as planned', [], [], 1, undefined],
    ['alive when planned, dead now', [], [1], 1, undefined],
    ['dead when planned, votes now', [1], [], 1, { code: 'CONTROL_PLANE_CHANGED', mayPass: false }],
    ['another one does not vote now', [], [2], 1, { code: 'CONTROL_PLANE_CHANGED', mayPass: true }],
  ])('%s', (_, planned, now, victim, objection) => {
    if (objection) expect(removal(planned, now, victim)).toMatchObject(objection);
    else expect(removal(planned, now, victim)).toBeUndefined();
  });
});
