import { afterAll, beforeAll, expect, it } from 'vitest';
import { countsAt, verdicts } from '../bench/counts.ts';
import { type System, startSystem } from './testing/system.ts';

const SPEED = 200;
let system: System;
beforeAll(async () => {
  // workers must not share a host: more hosts than the eight nodes of the bigger cluster
  system = await startSystem({ speed: SPEED, hosts: 20 });
}, 90_000);
afterAll(() => system.stop());

// once more on a busy machine: an attempt that is lost and repeated is counted, too
it('adding, removing or healing a node costs the same for a small and for a bigger cluster, and touches no worker that stays', {
  timeout: 240_000,
  retry: 1,
}, async () => {
  const place = {
    http: system.http,
    authUrl: system.simulator.authUrl,
    speed: SPEED,
    ledger: async (after?: number) => system.simulator.ledger.entries(after),
  };
  const rows = [...(await countsAt(place, 5)), ...(await countsAt(place, 8))];
  const told = verdicts(rows);
  expect(told.length).toBeGreaterThan(8);
  expect(told.filter(({ holds }) => !holds)).toEqual([]);
  const [instantiated] = rows;
  expect(instantiated?.counts.logins.fresh).toBeGreaterThanOrEqual(6);
  expect(instantiated?.counts.commands.fresh).toBeGreaterThan(100);
});
