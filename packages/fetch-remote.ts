import { createWriteStream } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VnflowError } from '../domain/problems.ts';
import { type HostRules, hostOf } from '../network/host-rules.ts';
import { checkedRemoteUrl } from './remote-address.ts';

export interface FetchOptions {
  /** Rules with the hosts of `VNFLOW_PACKAGE_HOSTS`. */
  readonly hosts: HostRules;
  readonly limitBytes: number;
  /** For HTTP basic authentication. */
  readonly credentials?: { readonly userName: string; readonly password: string };
  /** Ends the fetch early. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole fetch. Default half an hour. */
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 30 * 60_000;
/** A fetch ends when the server sends nothing for this time. */
const SILENCE_LIMIT_MS = 30_000;

/**
 * Fetches a URI into a file. It checks every address of the host name when it opens the connection, so that it also
 * refuses a name whose address has changed since. It follows no redirect and ignores the proxy variables of the
 * environment.
 * @throws VnflowError BAD_REQUEST when the address is refused; PACKAGE_FETCH when the server fails, or at the limits of
 * size and time
 */
export async function fetchToFile(uri: string, file: string, options: FetchOptions): Promise<void> {
  const url = await checkedRemoteUrl(uri, options.hosts);
  const limit = AbortSignal.timeout(options.timeLimitMs ?? TIME_LIMIT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    const answer = await answerOf(url, { ...options, signal });
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw createFetchProblem(
        url,
        `the server answered ${answer.statusCode}; redirects are not followed, and only 200 is taken`,
      );
    }
    const body = Readable.from(counted(answer, url, options.limitBytes));
    await pipeline(body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (error instanceof VnflowError) throw error;
    if (limit.aborted) throw createFetchProblem(url, 'it took too long', error);
    throw createFetchProblem(url, error instanceof Error ? error.message : String(error), error);
  }
}

function answerOf(url: URL, { hosts, credentials, signal }: FetchOptions): Promise<IncomingMessage> {
  const options: RequestOptions = {
    agent: false,
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'vnflow' },
    timeout: SILENCE_LIMIT_MS,
    ...(signal ? { signal } : {}),
    ...(credentials ? { auth: `${credentials.userName}:${credentials.password}` } : {}),
    lookup: hosts.lookupOf(url, (reason) => {
      const detail = `Nothing is fetched from ${hostOf(url)}: it is ${reason}. The operator can allow it with VNFLOW_PACKAGE_HOSTS.`;
      return new VnflowError('BAD_REQUEST', { detail });
    }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.once('response', resolve);
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`the server was silent for ${SILENCE_LIMIT_MS / 1000} s`)));
    request.end();
  });
}

async function* counted(body: AsyncIterable<Buffer>, url: URL, limitBytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const piece of body) {
    received += piece.length;
    if (received > limitBytes) throw createFetchProblem(url, `it has more than ${limitBytes} bytes`);
    yield piece;
  }
}

/** The message repeats neither the path nor the query of the URI, because they may be secret. */
function createFetchProblem({ protocol, host }: URL, reason: string, cause?: unknown): VnflowError {
  return new VnflowError('PACKAGE_FETCH', {
    detail: `Nothing could be fetched from ${protocol}//${host}: ${reason}.`,
    cause,
  });
}
