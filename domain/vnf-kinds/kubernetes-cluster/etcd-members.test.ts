import { expect, it } from 'vitest';
import { leftoverOf, parseMemberList } from './etcd-members.ts';

const LIST = `9e737febb6b99eee, started, m2, https://10.10.0.12:2380, https://10.10.0.12:2379, false
ade7d65c3d881cad, unstarted, , https://10.10.0.14:2380, , true
`;

it('reads members as etcdctl 3.5 prints them, ids to the last digit', () => {
  expect(parseMemberList(LIST)).toEqual([
    { id: '9e737febb6b99eee', started: true, name: 'm2', peerUrls: ['https://10.10.0.12:2380'], learner: false },
    { id: 'ade7d65c3d881cad', started: false, name: '', peerUrls: ['https://10.10.0.14:2380'], learner: true },
  ]);
});

it('finds what a join that was cut off left behind, and never takes a started member for that', () => {
  expect(leftoverOf(parseMemberList(LIST), '10.10.0.14')?.id).toBe('ade7d65c3d881cad');
  expect(leftoverOf(parseMemberList(LIST), '10.10.0.12')).toBeUndefined();
});

it('does not take an error for an empty list', () => {
  expect(() => parseMemberList('Error: context deadline exceeded')).toThrow(SyntaxError);
});
