import { lookup } from 'node:dns';
import { createWriteStream } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VnflowError } from '../domain/problems.ts';
import { checkedRemoteUrl, hostOf, refusalOfAddress } from './remote-address.ts';

export interface FetchOptions {
  /** Host names that may have any address (`VNFLOW_PACKAGE_HOSTS`), in lower case. */
  readonly hosts: readonly string[];
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
  const url = checkedRemoteUrl(uri, options.hosts);
  const limit = AbortSignal.timeout(options.timeLimitMs ?? TIME_LIMIT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    const answer = await answerOf(url, { ...options, signal });
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw failed(url, `the server answered ${answer.statusCode}; redirects are not followed, and only 200 is taken`);
    }
    const body = Readable.from(counted(answer, url, options.limitBytes));
    await pipeline(body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (error instanceof VnflowError) throw error;
    if (limit.aborted) throw failed(url, 'it took too long', error);
    throw failed(url, error instanceof Error ? error.message : String(error), error);
  }
}

function answerOf(url: URL, { hosts, credentials, signal }: FetchOptions): Promise<IncomingMessage> {
  const options: RequestOptions = {
    agent: false,
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'vnflow' },
    timeout: SILENCE_LIMIT_MS,
    ...(signal ? { signal } : {}),
    ...(credentials ? { auth: `${credentials.userName}:${credentials.password}` } : {}),
    ...(hosts.includes(hostOf(url)) ? {} : { lookup: checkedLookup }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.once('response', resolve);
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`the server was silent for ${SILENCE_LIMIT_MS / 1000} s`)));
    request.end();
  });
}

/**
 * Resolves a host name, and refuses it when one of its addresses is refused. The connection uses the checked addresses.
 */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    for (const { address } of addresses) {
      const reason = refusalOfAddress(address);
      if (reason !== undefined) {
        const detail = `addressInformation: nothing is fetched from ${hostname}: it is ${reason}. The operator can allow it with VNFLOW_PACKAGE_HOSTS.`;
        return callback(new VnflowError('BAD_REQUEST', { detail }), '', 0);
      }
    }
    const [first] = addresses;
    if (options.all) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

async function* counted(body: AsyncIterable<Buffer>, url: URL, limitBytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const piece of body) {
    received += piece.length;
    if (received > limitBytes) throw failed(url, `it has more than ${limitBytes} bytes`);
    yield piece;
  }
}

/** The message repeats neither the path nor the query of the URI, because they may be secret. */
function failed({ protocol, host }: URL, reason: string, cause?: unknown): VnflowError {
  return new VnflowError('PACKAGE_FETCH', {
    detail: `Nothing could be fetched from ${protocol}//${host}: ${reason}.`,
    cause,
  });
}
