import axios, { type AxiosResponse } from 'axios';
import type { z } from 'zod';
import type { ApiConnection } from './connection.ts';
import { Problem } from './contract.ts';
import { CliFailure, NOT_ASKED, Refused } from './failure.ts';
import { httpsAgent } from './https-agent.ts';
import { keystoneToken, reasonOf } from './keystone-token.ts';

const TIMEOUT_MS = 60_000;

export interface VnfmRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the root of the API, for example `/vnflcm/v2/vnf_instances`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>>;
  /** JSON, or a Buffer with its content type in `headers`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface VnfmAnswer {
  readonly status: number;
  readonly location: string | undefined;
  /** Parses the body with a schema. @throws CliFailure when it does not fit */
  read<T>(schema: z.ZodType<T>): T;
  /** The body as it is. */
  readonly text: string;
}

/** A client of vnflow's HTTP API with a token of its user. */
export interface Vnfm {
  readonly url: string;
  /** Sends a request. @throws Refused with the problem details of the API; CliFailure when the API does not answer */
  request(request: VnfmRequest): Promise<VnfmAnswer>;
  /** The token that requests carry. */
  token(): Promise<string>;
}

export function createVnfm({ url, identity, caCert }: ApiConnection): Vnfm {
  const agent = httpsAgent(caCert);
  let known: Promise<string> | undefined;
  const token = () => {
    known ??= 'token' in identity ? Promise.resolve(identity.token) : keystoneToken(identity.user, caCert);
    return known;
  };
  const send = async (request: VnfmRequest): Promise<AxiosResponse<string>> =>
    axios
      .request<string>({
        method: request.method,
        url: `${url.replace(/\/+$/, '')}${request.path}`,
        ...(request.params ? { params: request.params } : {}),
        ...(request.body === undefined ? {} : { data: request.body }),
        headers: { Version: '2.0.0', Accept: 'application/json', ...request.headers, 'X-Auth-Token': await token() },
        ...(request.signal ? { signal: request.signal } : {}),
        timeout: TIMEOUT_MS,
        ...agent,
        responseType: 'text',
        transformResponse: (text: string) => text,
        validateStatus: () => true,
        maxRedirects: 0,
        maxBodyLength: Number.POSITIVE_INFINITY,
      })
      .catch((error: unknown) => {
        if (error instanceof CliFailure) throw error;
        throw new CliFailure(
          `vnflow at ${url} does not answer (${reasonOf(error)}). Is it up? Check VNFM_URL, and OS_CACERT for TLS.`,
          NOT_ASKED,
        );
      });
  return {
    url,
    token,
    request: async (request) => {
      let answer = await send(request);
      if (answer.status === 401 && 'user' in identity) {
        known = undefined; // it expired
        answer = await send(request);
      }
      if (answer.status >= 400) throw new Refused(problemOf(answer));
      const location: unknown = answer.headers['location'];
      return {
        status: answer.status,
        location: typeof location === 'string' ? location : undefined,
        text: answer.data,
        read: (schema) => readBody(answer, schema, request.path),
      };
    },
  };
}

function readBody<T>(answer: AxiosResponse<string>, schema: z.ZodType<T>, path: string): T {
  const parsed = schema.safeParse(parseJson(answer.data));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliFailure(
    `${path} gave an answer that this release of vnflow cannot read: ${issue?.path.join('.')} ${issue?.message}`,
  );
}

function problemOf(answer: AxiosResponse<string>): Problem {
  const parsed = Problem.safeParse(parseJson(answer.data));
  return parsed.success ? parsed.data : { status: answer.status, detail: `The API answered ${answer.status}.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
