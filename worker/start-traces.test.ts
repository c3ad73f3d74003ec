import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { startSpanCollector } from '../test/testing/span-collector.ts';
import { presentRecorder, traceBelow, traceCall, withoutSpans } from '../tracing/spans.ts';
import { startTraces } from './start-traces.ts';
import { readTraceSettings } from './trace-settings.ts';

const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
const logged: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void logged.push(JSON.parse(line).msg) });

/** Starts the traces of a process that has this environment. */
async function start(variables: Record<string, string>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  return startTraces(readTraceSettings(process.env), { build: 'test', log });
}

afterEach(() => {
  vi.unstubAllEnvs();
  logged.length = 0;
});

it('loads no SDK of OpenTelemetry in a process that names no collector', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { startTraces } = await import('./worker/start-traces.ts');
    await import('./worker/start-vnflow.ts');
    if (process.argv[1] === 'on') await startTraces(
      { protocol: 'http/json', sampler: { name: 'always_on', ratio: 1 }, batches: {} }, { build: 'test' });
    else await startTraces(undefined, {});
    console.log(loaded.filter((url) => /@opentelemetry.(?!api)/.test(url)).length);
  `;
  const count = (mode: string) =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', program, mode], { encoding: 'utf8' }));
  expect(count('off')).toBe(0);
  expect(count('on'), 'the test would see it').toBeGreaterThan(5);
});

it('says why it makes no traces, and starts all the same', async () => {
  expect(
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'odd' }),
  ).toBeUndefined();
  expect(logged).toEqual(['no traces: a variable of OpenTelemetry cannot be followed']);
  expect(presentRecorder()).toBeUndefined();
});

it('records work, its parts and its failures, but no looks, and nothing of traces that were not chosen', async () => {
  const collector = await startSpanCollector();
  const traces = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  const part = (name: string) => traceCall({ name, kind: 'client' }, async () => {});
  const failing = traceBelow(parent, { name: 'work', attributes: { text: 'x'.repeat(10_000) } }, async () => {
    await part('part');
    await withoutSpans(() => part('look'));
    throw Object.assign(new Error('secret'), { code: 'NODE_UNREACHABLE' });
  });
  await expect(failing).rejects.toThrow('secret');
  await traceBelow({ ...parent, isSampled: false }, { name: 'unchosen' }, () => part('its part'));
  await part('outside');
  await traces?.stop();
  await collector.stop();
  expect(collector.spans).toMatchObject([
    { name: 'part', kind: 3, parentSpanId: collector.spans[1]?.spanId, status: { code: 0 } },
    {
      name: 'work',
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      status: { code: 2, message: 'NODE_UNREACHABLE' },
      attributes: { 'error.type': 'NODE_UNREACHABLE', text: 'x'.repeat(500) },
    },
  ]);
  expect(collector.spans).toHaveLength(2);
  expect(presentRecorder(), 'nothing is recorded after the stop').toBeUndefined();
});

it('asks the sampler about the trace of an operation whose request began none', async () => {
  const traces = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const recorder = presentRecorder();
  const chosen = Array.from({ length: 200 }, () => crypto.randomUUID().replaceAll('-', '')).filter((id) =>
    recorder?.isSampled(id),
  );
  expect(chosen.length).toBeGreaterThan(50);
  expect(chosen.length).toBeLessThan(150);
  expect(
    chosen.every((id) => recorder?.isSampled(id)),
    'every process decides alike',
  ).toBe(true);
  await traces?.stop();
});

it('sends protobuf unless JSON is chosen, says once that the collector takes no spans, and once that it does', async () => {
  let status = 400;
  const types: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    types.push(request.headers['content-type']);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const traces = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/traces` });
  const batch = async () => {
    const before = types.length;
    await traceBelow(parent, { name: 'work' }, async () => {});
    await vi.waitFor(() => expect(types.length).toBeGreaterThan(before));
  };
  for (let i = 0; i < 3; i++) await batch();
  status = 200;
  for (let i = 0; i < 2; i++) await batch();
  await traces?.stop();
  server.closeAllConnections();
  server.close();
  expect(new Set(types)).toEqual(new Set(['application/x-protobuf']));
  expect(logged).toEqual([
    'the collector of traces takes no spans; they are lost until it does',
    'the collector of traces takes spans again; some were lost',
  ]);
});

it('ends after two seconds although the collector does not answer', async () => {
  const server = createServer(() => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const traces = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  await traceBelow(parent, { name: 'work' }, async () => {});
  const since = Date.now();
  await traces?.stop();
  expect(Date.now() - since).toBeLessThan(2_900);
  server.closeAllConnections();
  server.close();
});
