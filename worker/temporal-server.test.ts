import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, expect, it } from 'vitest';
import { searchAttribute } from '../workflows/search-attributes.ts';
import { freePort } from './free-port.ts';
import { temporalBinary } from './temporal-binary.ts';
import { ANY_PORTS, isTemporalServing, startTemporalServer } from './temporal-server.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-temporal-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

it('keeps running workflows over a restart, and finds them by our search attributes', async () => {
  const options = { binary: temporalBinary(), directory, ports: ANY_PORTS, headless: true };
  const first = await startTemporalServer(options);
  await withClient(first.address, (client) =>
    client.workflow.start('instantiateVnf', {
      workflowId: 'vnf/1',
      taskQueue: 'nobody',
      typedSearchAttributes: [{ key: searchAttribute.operationState, value: 'FAILED_TEMP' }],
    }),
  );
  await first.stop();
  expect(await isTemporalServing(first.address)).toBe(false);

  const second = await startTemporalServer(options);
  try {
    const { status } = await withClient(second.address, (client) => client.workflow.getHandle('vnf/1').describe());
    expect(status.name).toBe('RUNNING');
    await expect
      .poll(() =>
        withClient(second.address, async (client) =>
          (await Array.fromAsync(client.workflow.list({ query: "OperationState='FAILED_TEMP'" }))).map(
            (found) => found.workflowId,
          ),
        ),
      )
      .toEqual(['vnf/1']);
  } finally {
    await second.stop();
  }
});

it('answers through its HTTP API to no browser', async () => {
  const ports = { ...ANY_PORTS, http: await freePort(0) };
  const server = await startTemporalServer({ binary: temporalBinary(), ports, headless: true });
  try {
    const url = `http://127.0.0.1:${ports.http}/api/v1/namespaces`;
    expect((await fetch(url)).status).toBe(403);
    // as a page sends it, without asking for permission first
    const page = { method: 'POST', body: '{"reason":"none"}', headers: { 'Content-Type': 'text/plain' } };
    expect((await fetch(`${url}/default/workflows/any/terminate`, page)).status).toBe(403);
  } finally {
    await server.stop();
  }
});

it('does not take the server of another program for its own, which took the port first', async () => {
  const ports = { ...ANY_PORTS, grpc: await freePort(0) };
  const slow = path.join(mkdtempSync(path.join(directory, 'slow-')), 'temporal');
  const script = `#!/bin/sh\ncase "$*" in *--help*) ;; *) sleep 2 ;; esac\nexec "${temporalBinary()}" "$@"\n`;
  writeFileSync(slow, script, { mode: 0o755 });
  const { promise: launched, resolve } = Promise.withResolvers<number>();
  const late = startTemporalServer({ binary: slow, ports, headless: true, launched: resolve });
  await launched;
  const early = await startTemporalServer({ binary: temporalBinary(), ports, headless: true });
  try {
    const server = await late;
    expect(server.address).not.toBe(early.address);
    await server.stop();
  } finally {
    await early.stop();
  }
});

it.each([
  ['starts another server when the first ends at once because its port was just taken', 1, /^127/],
  ['gives up when every server ends at once', 9, /did not start/],
])('%s', async (_, failures, expected) => {
  const own = mkdtempSync(path.join(directory, 'ends-'));
  const binary = path.join(own, 'temporal');
  const count = `${own}/starts`;
  const script = `#!/bin/sh
case "$*" in *--help*) exec "${temporalBinary()}" "$@" ;; esac
echo start >> "${count}"
[ "$(wc -l < "${count}")" -gt ${failures} ] || exit 1
exec "${temporalBinary()}" "$@"
`;
  writeFileSync(binary, script, { mode: 0o755 });
  const started = startTemporalServer({ binary, ports: ANY_PORTS, headless: true });
  const outcome = await started.then(
    async (server) => {
      await server.stop();
      return server.address;
    },
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(expected);
});

it('fails with a message when the program is no Temporal server', async () => {
  await expect(startTemporalServer({ binary: '/nonexistent/temporal', directory, headless: true })).rejects.toThrow(
    /ENOENT/,
  );
});

it('says how to get a Temporal server when there is none', () => {
  expect(() => temporalBinary({ VNFLOW_TEMPORAL_BINARY: '/nonexistent' })).toThrow(/npx vnflow up/);
});
