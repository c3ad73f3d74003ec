import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { z } from 'zod';
import { createHostRules } from '../../../network/host-rules.ts';
import type { Credentials } from '../../../openstack/keystone.ts';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
  readonly delayMs?: number;
}

/** Answers of a real OpenStack, replayed on loopback. Knows one user; its tokens can be revoked. */
export interface RecordedCloud {
  readonly credentials: Credentials;
  readonly origin: string;
  /** `METHOD /path?query`, without Keystone's. */
  readonly calls: readonly string[];
  readonly bodies: readonly unknown[];
  readonly tokensIssued: number;
  /** The replies to a call, in turn; the last one repeats. A text names a recorded sample. */
  on(call: string, ...replies: readonly (string | Reply)[]): void;
  revokeTokens(): void;
  /** How long new tokens live. */
  tokenLifetimeMs: number;
  stop(): Promise<void>;
}

const sampleSchema = z.object({
  response: z.object({ status: z.number(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
});

/** A recorded answer by the name of its file. */
export function recorded(name: string): Reply & { readonly body: unknown } {
  const text = readFileSync(new URL(`../../recorded/openstack/${name}.json`, import.meta.url), 'utf8');
  const { status, headers, body } = sampleSchema.parse(JSON.parse(text)).response;
  return { status, headers, body };
}

export async function startRecordedCloud(): Promise<RecordedCloud> {
  const app = express();
  const calls: string[] = [];
  const bodies: unknown[] = [];
  const replies = new Map<string, Reply[]>();
  const tokens = new Set<string>();
  let issued = 0;
  app.use(express.text({ type: () => true, limit: '10mb' }));
  app.post('/v3/auth/tokens', (request, response) => {
    if (!String(request.body).includes('"password":"correct horse"')) {
      return send(response, recorded('keystone-wrong-password-401'), '');
    }
    issued += 1;
    tokens.add(`token-${issued}`);
    const reply = recorded('keystone-token-201');
    const body = JSON.parse(JSON.stringify(reply.body).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, cloud.origin));
    body.token.expires_at = new Date(Date.now() + cloud.tokenLifetimeMs).toISOString();
    return send(response, { ...reply, headers: { ...reply.headers, 'X-Subject-Token': `token-${issued}` }, body }, '');
  });
  app.use((request, response) => {
    const call = `${request.method} ${request.url}`;
    calls.push(call);
    bodies.push(
      typeof request.body === 'string' && request.body.startsWith('{') ? JSON.parse(request.body) : request.body,
    );
    if (!tokens.has(String(request.headers['x-auth-token'])) && request.path !== '/v3/auth/tokens') {
      return send(response, recorded('heat-revoked-token-401'), '');
    }
    const queue = replies.get(call);
    const reply = queue && queue.length > 1 ? queue.shift() : queue?.[0];
    return send(
      response,
      reply ?? { status: 500, body: { error: { message: `the test expects no ${call}` } } },
      cloud.origin,
    );
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cloud: RecordedCloud = {
    origin,
    calls,
    bodies,
    credentials: {
      authUrl: `${origin}/v3`,
      username: 'nfv_user',
      password: 'correct horse',
      project: 'nfv',
      userDomain: 'Default',
      projectDomain: 'Default',
      hosts: createHostRules({ trusted: ['127.0.0.1'] }),
    },
    get tokensIssued() {
      return issued;
    },
    tokenLifetimeMs: 3_600_000,
    on: (call, ...given) => {
      replies.set(
        call,
        given.map((reply) => (typeof reply === 'string' ? recorded(reply) : reply)),
      );
    },
    revokeTokens: () => tokens.clear(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return cloud;
}

function send(response: express.Response, reply: Reply, origin: string): void {
  if (reply.cut) {
    response.socket?.destroy();
    return;
  }
  const skipped = ['content-length', 'content-type'];
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    if (!skipped.includes(name.toLowerCase()))
      response.setHeader(name, value.replace(/http:\/\/127\.0\.0\.1:\d+/, origin));
  }
  response.status(reply.status);
  setTimeout(() => {
    if (typeof reply.body === 'string') response.send(reply.body);
    else if (reply.status === 204) response.end();
    else response.json(reply.body);
  }, reply.delayMs ?? 0);
}
