import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import { VnflowError } from '../../domain/problems.ts';
import type { NodeContext } from '../node/node-session.ts';
import { type RegistryAccess, registryAccess, registryUrl } from './registry-access.ts';

/** A request or an answer that stands still for so long has failed. */
const STILL_MS = 60_000;
const CONNECT_MS = 15_000;
/** Manifests have at most 4 MiB (distribution), lists of tags and repositories may be longer. */
const MOST_WHOLE_BYTES = 16 * 1024 * 1024;

interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** With the query, from `/v2/` on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | AsyncIterable<Buffer>;
  /** Statuses that are returned; any other is thrown. */
  readonly expect: readonly number[];
}

interface RegistryAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. It must be read to its end, once. */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * The API of the registry on the server of a session (OCI distribution 1.1), over TCP connections that sshd of the
 * server opens. Bodies are streams: an image is never in the memory of vnflow as a whole.
 */
export class RegistryClient {
  readonly #node: NodeContext;
  readonly #access: RegistryAccess;
  readonly #agent: Agent;

  private constructor(node: NodeContext, access: RegistryAccess) {
    this.#node = node;
    this.#access = access;
    this.#agent = agentOf(node, access);
  }

  /** Runs `work` with the registry of the server, and closes the connections to it. */
  static async use<T>(node: NodeContext, work: (registry: RegistryClient) => Promise<T>): Promise<T> {
    const registry = new RegistryClient(node, await registryAccess(node));
    try {
      return await work(registry);
    } finally {
      registry.#agent.destroy();
    }
  }

  /**
   * Sends a request, and reads the answer whole.
   * @throws VnflowError REGISTRY_NOT_READY for an answer that was not expected, or none; NODE_DISK_FULL when the
   * registry says that its disk is full; NODE_UNREACHABLE; the signal's reason when aborted
   */
  ask(request: RegistryRequest): Promise<Omit<RegistryAnswer, 'body'> & { readonly content: Buffer }> {
    return this.#guard(request, async () => {
      const { body, ...answer } = await this.#send(request);
      return { ...answer, content: await readWhole(body) };
    });
  }

  /**
   * Sends a request, and hands the body of the answer on piece by piece.
   * @throws VnflowError as `ask`; what `use` throws
   */
  read<T>(request: RegistryRequest, use: (body: AsyncIterable<Buffer>, status: number) => Promise<T>): Promise<T> {
    return this.#guard(request, async () => {
      const { body, status } = await this.#send(request);
      try {
        return await use(foreign(body), status);
      } catch (error) {
        throw error instanceof BodyFailure ? error.cause : new BodyFailure(error);
      }
    });
  }

  async #guard<T>({ method, path }: RegistryRequest, work: () => Promise<T>): Promise<T> {
    const { signal, session } = this.#node;
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BodyFailure) throw error.cause;
      if (error instanceof VnflowError) throw error;
      throw new VnflowError('REGISTRY_NOT_READY', {
        detail: `${method} ${registryUrl(this.#access)}${pathOf(path)} failed, as seen from ${session.label}.`,
        seen: error instanceof Error ? error.message : String(error),
        cause: error,
      });
    }
  }

  async #send({ expect, ...asked }: RegistryRequest): Promise<RegistryAnswer> {
    const answer = await this.#exchange(asked);
    if (expect.includes(answer.status)) return answer;
    const text = (await readWhole(answer.body)).toString('utf8');
    throw createStatusProblem(this.#node.session.label, asked, { status: answer.status, text });
  }

  async #exchange({ method, path, headers = {}, body }: Omit<RegistryRequest, 'expect'>): Promise<RegistryAnswer> {
    const { scheme, host, port, login } = this.#access;
    const still = new StillWatch(this.#node.signal);
    const send = scheme === 'https' ? requestHttps : requestHttp;
    const request = send({
      method,
      host,
      port,
      path,
      agent: this.#agent,
      signal: still.signal,
      ...(login ? { auth: `${login.username}:${login.password}` } : {}),
      headers: { 'User-Agent': 'vnflow', ...headers },
    });
    try {
      const answered = answerTo(request);
      if (body === undefined || Buffer.isBuffer(body)) request.end(body);
      else await sendPieces(still.watch(foreign(body)), request, answered);
      const message = await answered;
      return { status: message.statusCode ?? 0, headers: plainHeaders(message), body: still.watch(message) };
    } catch (error) {
      still.end();
      request.destroy();
      throw error;
    }
  }
}

/** A failure on the other side of a body than the one that looks at it: of the place of a copy, or of the registry. */
class BodyFailure extends Error {
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('the other side of a body failed');
    this.cause = cause;
  }
}

/** Marks the failures of pieces that come from the other side. */
async function* foreign(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    throw new BodyFailure(error);
  }
}

/** A server that has refused answers before it has read all. */
async function sendPieces(
  pieces: AsyncIterable<Buffer>,
  request: ClientRequest,
  answered: Promise<unknown>,
): Promise<void> {
  const sent = pipeline(pieces, request);
  sent.catch(() => {}); // when the answer comes first, nobody waits for it any more
  await Promise.race([sent, answered]);
}

async function readWhole(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MOST_WHOLE_BYTES) throw new Error(`an answer of more than ${MOST_WHOLE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/**
 * Every connection is one through the session. TLS is spoken with the registry itself. Node ends a connection with TLS
 * over a channel of SSH that it has kept, so each request has one of its own.
 */
function agentOf({ session, signal }: NodeContext, { scheme, host, port, ca }: RegistryAccess): Agent {
  const agent = scheme === 'https' ? new TlsAgent({ keepAlive: false }) : new Agent({ keepAlive: true });
  const open = async (): Promise<Duplex> => {
    const tunnel = asSocket(await session.connect(port, { host, timeoutMs: CONNECT_MS, signal }));
    return scheme === 'http' ? tunnel : connectTls({ socket: tunnel, host, ...(ca === undefined ? {} : { ca }) });
  };
  agent.createConnection = (_options, callback) => {
    open().then(
      (stream) => callback?.(null, stream),
      (error: unknown) => callback?.(error instanceof Error ? error : new Error(String(error)), undefined as never),
    );
    return undefined;
  };
  return agent;
}

/**
 * What the agent calls on sockets that it keeps: without these methods it throws in an event, which ends the process. A
 * channel of SSH has no keep-alive of TCP, and holds no process.
 */
function asSocket(tunnel: Duplex): Duplex {
  const itself = () => tunnel;
  return Object.assign(tunnel, { setKeepAlive: itself, setTimeout: itself, ref: itself, unref: itself });
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  request.on('error', reject);
  promise.catch(() => {}); // it is awaited after the body was sent
  return promise;
}

/** Aborts an exchange in which nothing has moved for a while. */
class StillWatch {
  readonly signal: AbortSignal;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#stopped.signal]);
    this.#moved();
  }

  /** Passes pieces on, and sees that they move. */
  async *watch(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of pieces) {
        this.#moved();
        yield piece;
      }
    } finally {
      this.#moved();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #moved(): void {
    clearTimeout(this.#timer);
    const stop = () => this.#stopped.abort(new Error(`nothing moved for ${STILL_MS / 1000} s`));
    this.#timer = setTimeout(stop, STILL_MS).unref();
  }
}

/** distribution gives the error of the file system: 28 is ENOSPC. */
const DISK_FULL = /"Err":\s*28\b|no space left/i;

function createStatusProblem(
  label: string,
  { method, path }: Pick<RegistryRequest, 'method' | 'path'>,
  { status, text }: { readonly status: number; readonly text: string },
): VnflowError {
  const isFull = status >= 500 && DISK_FULL.test(text);
  return new VnflowError(isFull ? 'NODE_DISK_FULL' : 'REGISTRY_NOT_READY', {
    detail: isFull
      ? `The registry on ${label} has no space left for its images.`
      : `The registry on ${label} answers ${status} to ${method} ${pathOf(path)}.`,
    seen: text.slice(0, 1000),
  });
}

/** Without the query, which may hold the state of an upload. */
function pathOf(path: string): string {
  return path.replace(/\?.*/, '');
}
