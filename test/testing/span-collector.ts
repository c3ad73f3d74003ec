import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const Value = z
  .union([
    z.object({ stringValue: z.string() }).transform((value) => value.stringValue),
    z.object({ intValue: z.number() }).transform((value) => value.intValue),
    z.object({ boolValue: z.boolean() }).transform((value) => value.boolValue),
    z.unknown(),
  ])
  .optional();
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: Attributes,
  events: z.array(z.object({ name: z.string() })),
  status: z.object({ code: z.number(), message: z.string().optional() }),
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export interface CollectedSpan extends z.infer<typeof Span> {
  /** `process.pid` of the process that recorded it. */
  readonly process: unknown;
}
export type SpanCollector = Awaited<ReturnType<typeof startSpanCollector>>;

/** Starts a collector on loopback that takes spans as OTLP/HTTP with JSON (opentelemetry.io/docs/specs/otlp). */
export async function startSpanCollector() {
  const spans: CollectedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await json(request);
    headers.push(request.headers);
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of Export.parse(body).resourceSpans) {
      resources.push(resource.attributes);
      const process = resource.attributes['process.pid'];
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, process }))));
    }
    response.setHeader('Content-Type', 'application/json');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    headers,
    /** All that was received, as text. */
    text: () => bodies.join('\n'),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
