import { expect, it } from 'vitest';
import { leftoverOf, parseMemberList, parsePeerMembers, stallingMember } from './etcd-members.ts';

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

const voter = (id: string, address: string, name = '') =>
  `{"id":${id},"peerURLs":["https://${address}:2380"]${name === '' ? '' : `,"name":"${name}","clientURLs":["https://${address}:2379"]`}}`;
const OWN = voter('11418119459873954542', '10.10.0.11', 'm1');
const ADDED = voter('12529573421986667341', '10.10.0.12');
const between = { own: '10.10.0.11', joining: '10.10.0.12' };

it('reads members as etcd lists them on its peer port, ids to the last digit', () => {
  expect(parsePeerMembers(`[${OWN},${ADDED}]`)).toEqual([
    { id: '9e754f2728c31aee', started: true, name: 'm1', peerUrls: ['https://10.10.0.11:2380'], learner: false },
    { id: 'ade1fca48cb0db4d', started: false, name: '', peerUrls: ['https://10.10.0.12:2380'], learner: false },
  ]);
  expect(() => parsePeerMembers('404 page not found')).toThrow();
  expect(() => parsePeerMembers('{}')).toThrow();
});

it.each([
  ['the only member got a voter that has never started', [OWN, ADDED], 'ade1fca48cb0db4d'],
  ['the other one has started', [OWN, voter('1', '10.10.0.12', 'm2')], undefined],
  ['the other one is of another node', [OWN, voter('1', '10.10.0.13')], undefined],
  ['the other one is a learner', [OWN, ADDED.replace('}', ',"isLearner":true}')], undefined],
  ['two have started', [OWN, voter('1', '10.10.0.13', 'm3'), ADDED], undefined],
  ['two have not', [OWN, voter('1', '10.10.0.13'), ADDED], undefined],
  ['the node that was asked is not the other one', [voter('1', '10.10.0.13', 'm3'), ADDED], undefined],
  ['it is alone', [OWN], undefined],
])('finds the member that stalls etcd: %s', (_, members, id) => {
  expect(stallingMember(parsePeerMembers(`[${members.join(',')}]`), between)?.id).toBe(id);
});
