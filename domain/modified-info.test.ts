import { expect, it } from 'vitest';
import { changedInfo, modifiedInfo } from './modified-info.ts';

const before = {
  vnfInstanceName: 'old',
  metadata: { keep: 'a', drop: 'b', deep: { x: 1, y: 2 } },
  vimConnectionInfo: { vim1: { vimType: 'T', accessInfo: { username: 'u', password: 'old-password' } } },
};

it('replaces texts, merges maps, and removes what is null', () => {
  const change = modifiedInfo(before, {
    vnfInstanceName: 'new',
    metadata: { drop: null, deep: { y: null, z: 3 }, more: true },
    vnfConfigurableProperties: { isAutohealEnabled: true },
  });
  expect(change).toEqual({
    vnfInstanceName: 'new',
    metadata: { keep: 'a', deep: { x: 1, z: 3 }, more: true },
    vnfConfigurableProperties: { isAutohealEnabled: true },
  });
  expect(changedInfo(change)).toEqual(change);
});

it('names nothing that stays as it is', () => {
  const change = modifiedInfo(before, { vnfInstanceName: 'old', vnfInstanceDescription: '', metadata: { keep: 'a' } });
  expect([change, changedInfo(change)]).toEqual([{}, undefined]);
});

it('changes a password and shows none', () => {
  const change = modifiedInfo(before, { vimConnectionInfo: { vim1: { accessInfo: { password: 'new-password' } } } });
  expect(change.vimConnectionInfo).toEqual({
    vim1: { vimType: 'T', accessInfo: { username: 'u', password: 'new-password' } },
  });
  expect(changedInfo(change)).toEqual({ vimConnectionInfo: { vim1: { vimType: 'T', accessInfo: { username: 'u' } } } });
});
