import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import { parseMember } from '../../domain/parse-member.ts';
import { VnflowError } from '../../domain/problems.ts';

const MAX_DEPTH = 64;

/**
 * Reads the body as JSON, or undefined when there is none. A Content-Type without a body says nothing: clients repeat
 * it on bodiless requests.
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  { limitBytes, mediaTypes }: { limitBytes: number; mediaTypes: readonly string[] },
): Promise<unknown> {
  const bytes = await readBytes(request, response, limitBytes);
  if (bytes.length === 0) return undefined;
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== undefined && !mediaTypes.includes(mediaType)) {
    throw new VnflowError('UNSUPPORTED_MEDIA_TYPE', {
      detail: `Content-Type ${mediaType} is not supported here; send ${mediaTypes.join(' or ')}.`,
    });
  }
  const value = parseJson(bytes);
  refuseHostile(value);
  return value;
}

async function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
  const parser = express.raw({ type: () => true, limit });
  await new Promise<void>((resolve, reject) => {
    parser(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = request.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    // Neither the text nor the parser's message: both may hold a password.
    throw new VnflowError('BAD_REQUEST', { detail: 'Malformed request body. It must be JSON in UTF-8.' });
  }
}

/**
 * Refuses values that later code or the store could not handle. It is iterative, because it must survive deep nesting.
 */
function refuseHostile(root: unknown): void {
  const queue: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    const { value, depth } = entry;
    if (depth > MAX_DEPTH) throw createBodyProblem(`is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === 'string' && !storable(value))
      throw createBodyProblem('holds a NUL character or half a character');
    if (typeof value === 'number' && !Number.isFinite(value))
      throw createBodyProblem('holds a number that is too large');
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (name === '__proto__' || !storable(name)) throw createBodyProblem('has a member name that is not allowed');
      queue.push({ value: member, depth: depth + 1 });
    }
  }
}

/** Postgres keeps neither NUL nor lone surrogates. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function createBodyProblem(what: string): VnflowError {
  return new VnflowError('BAD_REQUEST', { detail: `The request body ${what}.` });
}

/**
 * Checks a body against its schema.
 * @throws VnflowError BAD_REQUEST naming the first member that does not fit; never with the member's value
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  if (body === undefined) {
    throw new VnflowError('BAD_REQUEST', { detail: 'body is missing: send a JSON object.' });
  }
  return parseMember(schema, body, []);
}
