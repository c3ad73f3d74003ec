import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createVnfm } from '../vnfm/client.ts';
import { exitCodeOf, watchOperation } from './watch.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  vi.restoreAllMocks();
});

/** An API whose operation enters the next of `states` at each poll of events. */
async function apiWith(states: readonly string[], error?: object) {
  let seq = 0;
  server = createServer((request, response) => {
    const state = states[Math.min(seq, states.length) - 1] ?? 'STARTING';
    const url = new URL(request.url ?? '', 'http://x');
    if (url.pathname.endsWith('/timeline')) {
      const times = { startTime: '2026-11-21T12:00:00Z', stateEnteredTime: '2026-11-21T12:00:00Z' };
      const base = {
        id: 'op',
        vnfInstanceId: 'v',
        operation: 'INSTANTIATE',
        operationState: state,
        steps: [],
        ...times,
      };
      return response.end(JSON.stringify({ ...base, ...(error && state.startsWith('FAILED') ? { error } : {}) }));
    }
    const after = Number(url.searchParams.get('after'));
    const events = states.slice(after, after + 1).map((next) => ({
      seq: after + 1,
      at: '2026-11-21T12:00:00Z',
      type: 'operation',
      state: next,
      summary: next,
      text: next,
    }));
    seq = Math.max(seq, after + events.length);
    return response.end(JSON.stringify({ events, next: after + events.length }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return createVnfm({ url: `http://127.0.0.1:${port}`, identity: { token: 't' } });
}

function captureOutput(): () => string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () => write.mock.calls.map(([text]) => String(text)).join('');
}

it('prints every event once, and ends when the operation is completed', async () => {
  const vnfm = await apiWith(['STARTING', 'PROCESSING', 'COMPLETED']);
  const output = captureOutput();
  const timeline = await watchOperation(vnfm, 'op', 'lines');
  expect(
    output()
      .trim()
      .split('\n')
      .map((line) => line.slice(9)),
  ).toEqual(['operation STARTING', 'operation PROCESSING', 'operation COMPLETED']);
  expect(exitCodeOf(timeline)).toBe(0);
});

it('ends at FAILED_TEMP with the error, its code and the remedy', async () => {
  const vnfm = await apiWith(['STARTING', 'FAILED_TEMP'], {
    status: 422,
    code: 'NODE_AUTH',
    detail: 'Refused.',
    remedy: 'Correct it.',
  });
  const output = captureOutput();
  expect(exitCodeOf(await watchOperation(vnfm, 'op', 'lines'))).toBe(1);
  expect(output()).toMatch(/NODE_AUTH: Refused\.\n {2}What to do: Correct it\./);
});

it('prints JSON only, an event a line, for other programs', async () => {
  const vnfm = await apiWith(['STARTING', 'FAILED_TEMP'], { status: 422, detail: 'Refused.' });
  const output = captureOutput();
  await watchOperation(vnfm, 'op', 'json');
  const states = output()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(states).toMatchObject([{ state: 'STARTING' }, { state: 'FAILED_TEMP' }]);
});

it('says by its exit code that an operation was rolled back', () => {
  expect(exitCodeOf({ operationState: 'ROLLED_BACK' })).toBe(3);
  expect(exitCodeOf({ operationState: 'FAILED' })).toBe(1);
});
