import { expect, it } from 'vitest';
import { keepMembers, refuseChanges } from './kept-members.ts';

const kept = { proxy: { http_proxy: 'p' }, tls: true, users: [{ name: 'a', password: 'b' }] };
const names = { keptMembers: ['proxy', 'tls', 'users'], heldMembers: [] };

it('a later request keeps what it does not mention', () => {
  expect(keepMembers({ port_no: 1, proxy: {} }, kept, names)).toEqual({ ...kept, port_no: 1, proxy: {} });
  expect(keepMembers({ port_no: 1 }, undefined, names)).toEqual({ port_no: 1 });
});

it('a later request does not change what is held, also when nothing is held', () => {
  const held = { keptMembers: [], heldMembers: ['users', 'more'] };
  const own = { users: [], more: 1, port_no: 1 };
  expect(keepMembers(own, kept, held)).toEqual({ users: kept.users, port_no: 1 });
});

it('a later request that changes a fixed member is refused, without showing it', () => {
  const refuse = (own: object) => () => refuseChanges(own, kept, { names: ['tls', 'users'], at: 'at' });
  expect(refuse({ proxy: {}, tls: true, users: [{ name: 'a', password: 'b' }] })).not.toThrow();
  expect(refuse({ users: [{ name: 'a', password: 'other' }] })).toThrow(/^(?!.*other).*at\.users: is set when/s);
  expect(refuse({ tls: false })).toThrow('at.tls: is set when');
});
