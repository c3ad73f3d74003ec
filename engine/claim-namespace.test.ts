import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestTemporal } from '../test/testing/temporal.ts';
import type { TemporalServer } from '../worker/temporal-server.ts';
import { claimNamespace } from './claim-namespace.ts';

let temporal: TemporalServer;
let client: Client;
beforeAll(async () => {
  temporal = await startTestTemporal();
  client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
});
afterAll(async () => {
  await client.connection.close();
  await temporal.stop();
});

it('keeps a namespace for the store that came first, until an administrator releases it', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  expect(await claimNamespace(client, first)).toBe('claimed');
  expect(await claimNamespace(client, first)).toBe('claimed');
  await expect(claimNamespace(client, second)).rejects.toMatchObject({
    code: 'NAMESPACE_TAKEN',
    message: expect.stringContaining(`namespace default belongs to the store ${first}`),
  });
  const updateInfo = { data: { 'vnflow.store': '' } };
  await client.workflowService.updateNamespace({ namespace: 'default', updateInfo });
  expect(await claimNamespace(client, second)).toBe('claimed');
});
