import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { VnflowError } from '../domain/problems.ts';
import { createHostRules, type HostRules } from '../network/host-rules.ts';
import { parseAnswer } from './answer-json.ts';
import { createAnswerProblem, createProtocolProblem } from './failures.ts';
import { type CallOptions, type Credentials, type IssuedToken, issueToken } from './keystone.ts';
import { createTransport, describeCall, type HttpAnswer, type Transport } from './transport.ts';

export type { CallOptions, Credentials } from './keystone.ts';

/** Type in the service catalogue → name in messages. */
const SERVICES = {
  orchestration: 'Heat',
  compute: 'Nova',
  network: 'Neutron',
  image: 'Glance',
  'object-store': 'Swift',
  'block-storage': 'Cinder',
} as const;
type ServiceType = keyof typeof SERVICES;

/**
 * Pauses before a call that got 401 is repeated with a new token. Keystone notes a revocation with the second in which it
 * was: a token that is issued in the same second is refused, too.
 */
const RENEWAL_PAUSES_MS = [0, 1_200];
/** The resources of a stack with 500 servers are about 2 MiB. */
const READ_LIMIT_BYTES = 8 * 1024 * 1024;

export interface ServiceRequest extends CallOptions {
  readonly service: ServiceType;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the endpoint of the catalogue, with query; already encoded. */
  readonly path: string;
  readonly json?: unknown;
  /** True when the body of the answer is bytes (`HttpAnswer.bytes`) and not text. */
  readonly binary?: boolean;
  /** Opens the stream for each attempt: there are more after a 401. */
  readonly stream?: () => Readable;
  /**
   * With a token of its own: Heat goes on with the token of the request for as long as the stack takes, and fails when
   * it expires on the way.
   */
  readonly freshToken?: boolean;
  /** Statuses that are returned as answers; any other becomes a problem that is thrown. */
  readonly expect: readonly number[];
}

export interface ServiceAnswer extends HttpAnswer {
  /** Parses the body with a schema. @throws VnflowError VIM_PROTOCOL when it does not fit */
  read<T>(schema: z.ZodType<T>): T;
}

/** A user in a project of an OpenStack. Holds a token; gets a new one when it is about to expire or is refused. */
export interface Session {
  request(request: ServiceRequest): Promise<ServiceAnswer>;
  projectId(): Promise<string>;
}

/**
 * Creates a session. It sends nothing before the first request, and repeats a request only after a 401, twice at most,
 * with new tokens. Requests throw VnflowError VIM_ADDRESS, VIM_UNREACHABLE, VIM_BUSY (both retriable), VIM_CREDENTIALS, VIM_FORBIDDEN,
 * VIM_NOT_FOUND, VIM_REJECTED or VIM_PROTOCOL, or the signal's reason.
 */
export function createSession(
  credentials: Credentials,
  transport: Transport = createTransport({ ...credentials, hosts: hostsOf(credentials) }),
): Session {
  const tokens = createTokenCache(() => issueToken(transport, credentials));
  const send = async (request: ServiceRequest, issued: IssuedToken) =>
    transport({
      method: request.method,
      url: `${endpointOf(issued, request.service, credentials.region)}/${request.path}`,
      service: SERVICES[request.service],
      headers: {
        'X-Auth-Token': issued.value,
        ...(request.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(request.stream ? { 'Content-Type': 'application/octet-stream' } : {}),
      },
      ...(request.json === undefined ? {} : { data: JSON.stringify(request.json) }),
      ...(request.stream ? { data: request.stream() } : {}),
      timeoutMs: request.timeoutMs ?? 30_000,
      ...(request.method === 'GET' ? { limitBytes: READ_LIMIT_BYTES } : {}),
      ...(request.signal ? { signal: request.signal } : {}),
      ...(request.binary ? { binary: true } : {}),
    });
  return {
    request: async (request) => {
      let issued = await (request.freshToken ? tokens.renew() : tokens.get());
      let answer = await send(request, issued);
      for (const pauseMs of RENEWAL_PAUSES_MS) {
        if (answer.status !== 401) break;
        tokens.drop(issued);
        await delay(pauseMs, undefined, request.signal ? { signal: request.signal } : {});
        issued = await tokens.get();
        answer = await send(request, issued);
      }
      const url = `${endpointOf(issued, request.service, credentials.region)}/${request.path}`;
      const call = describeCall(SERVICES[request.service], request.method, url);
      if (request.expect.includes(answer.status)) return { ...answer, read: reader(answer, call) };
      throw createAnswerProblem(call, answer, [credentials.password, issued.value]);
    },
    projectId: async () => {
      const { project } = (await tokens.get()).token;
      if (!project) throw new VnflowError('VIM_PROTOCOL', { detail: 'Keystone gave a token without a project.' });
      return project.id;
    },
  };
}

function hostsOf({ hosts = createHostRules(), authUrl }: Credentials): HostRules {
  return hosts.forServicesOf(authUrl);
}

export interface CheckedConnection {
  readonly projectId: string;
  readonly regions: readonly string[];
}

/**
 * Proves that the endpoint is a Keystone that accepts these credentials, and that its catalogue has Heat, Nova and
 * Neutron.
 * @throws VnflowError VIM_ADDRESS, VIM_UNREACHABLE, VIM_CREDENTIALS, VIM_REJECTED, VIM_PROTOCOL
 */
export async function checkConnection(credentials: Credentials, options: CallOptions = {}): Promise<CheckedConnection> {
  const transport = createTransport({ ...credentials, keepAlive: false });
  const issued = await issueToken(transport, credentials, { timeoutMs: 10_000, ...options });
  for (const service of ['orchestration', 'compute', 'network'] as const)
    endpointOf(issued, service, credentials.region);
  const regions = issued.token.catalog.flatMap(({ endpoints }) =>
    endpoints.flatMap((each) => each.region_id ?? each.region ?? []),
  );
  return { projectId: issued.token.project?.id ?? '', regions: [...new Set(regions)].sort() };
}

function endpointOf({ token }: IssuedToken, service: ServiceType, region: string | undefined): string {
  const types: readonly string[] = [service, ...(OLDER_TYPES[service] ?? [])];
  const endpoints = token.catalog
    .filter(({ type }) => types.includes(type))
    .sort((a, b) => types.indexOf(a.type) - types.indexOf(b.type))
    .flatMap((each) => each.endpoints);
  const found = endpoints.find(
    (each) => each.interface === 'public' && (region === undefined || [each.region, each.region_id].includes(region)),
  );
  if (found) {
    const url = endpointUrl(found.url);
    if (url !== undefined) return withVersion(service, url);
    throw new VnflowError('VIM_REJECTED', {
      detail: `The service catalogue of the VIM gives a ${SERVICES[service]} endpoint that is no plain http or https URL.`,
    });
  }
  throw new VnflowError('VIM_REJECTED', {
    detail: `The service catalogue of the VIM has no public ${SERVICES[service]} endpoint${region ? ` in region "${region}"` : ''}.`,
  });
}

/** @returns the URL of an endpoint without slashes at its end; undefined when it has user info, a query or a fragment */
function endpointUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return /[?#]/.test(text) ? undefined : url.href.replace(/\/+$/, '');
}

/** Older names of a type in the catalogue. */
const OLDER_TYPES: { readonly [S in ServiceType]?: readonly string[] } = {
  'block-storage': ['block-store', 'volumev3'],
};

/** Versions that the catalogue, as a rule, leaves out of the URL. */
const VERSIONS: { readonly [S in ServiceType]?: string } = { network: 'v2.0', image: 'v2' };

/** The catalogue gives Heat and Nova with a version in the URL, Neutron and Glance as a rule without. */
function withVersion(service: ServiceType, url: string): string {
  const version = VERSIONS[service];
  return version === undefined || new RegExp(`/${version.replace('.', '\\.')}$`).test(url) ? url : `${url}/${version}`;
}

interface TokenCache {
  get(): Promise<IssuedToken>;
  /** Gets a new token, also while the current one is valid. */
  renew(): Promise<IssuedToken>;
  /** Drops this token if it is still the current one. */
  drop(issued: IssuedToken): void;
}

/** Keeps a token until shortly before it expires. Calls that wait for a token share one request for it. */
function createTokenCache(issue: () => Promise<IssuedToken>): TokenCache {
  let current: { issued: IssuedToken; renewAt: number } | undefined;
  let pending: Promise<IssuedToken> | undefined;
  const renew = async () => {
    try {
      const issued = await issue();
      const margin = Math.min(60_000, (issued.expiresAt - Date.now()) / 4);
      current = { issued, renewAt: issued.expiresAt - margin };
      return issued;
    } finally {
      pending = undefined;
    }
  };
  return {
    get: async () => {
      if (current && Date.now() < current.renewAt) return current.issued;
      pending ??= renew();
      return pending;
    },
    renew: () => {
      pending ??= renew();
      return pending;
    },
    drop: (issued) => {
      if (current?.issued === issued) current = undefined;
    },
  };
}

function reader(answer: HttpAnswer, call: Parameters<typeof createProtocolProblem>[0]): ServiceAnswer['read'] {
  return (schema) => {
    const body = schema.safeParse(parseAnswer(answer.body));
    if (body.success) return body.data;
    const where = body.error.issues[0]?.path.join('.') || 'the body';
    throw createProtocolProblem(call, `an answer that makes no sense at ${where}`);
  };
}
