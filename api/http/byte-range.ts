import { VnflowError } from '../../domain/problems.ts';
import type { ApiAnswer } from './endpoint.ts';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * A `Range` header with one range. As in Tacker, a range that ends behind the content is refused; RFC 9110 would
 * shorten it.
 * @returns undefined without the header
 * @throws VnflowError BAD_REQUEST (several ranges, not understood), RANGE_NOT_SATISFIABLE
 */
function parseRange(header: string | undefined, length: number): ByteRange | undefined {
  if (header === undefined) return undefined;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.replaceAll(' ', ''));
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') {
    throw new VnflowError('BAD_REQUEST', { detail: 'Range: must be a single range such as bytes=0-499.' });
  }
  const suffix = from === '';
  const first = suffix ? Math.max(0, length - Number(to)) : Number(from);
  const last = suffix || to === '' ? length - 1 : Number(to);
  if (first <= last && last < length) return { first, last };
  throw new VnflowError('RANGE_NOT_SATISFIABLE', {
    detail: `Range: ${header.slice(0, 60)} is not within the ${length} bytes of the content.`,
  });
}

/** Answers 200 with all bytes, or 206 with the range that the request names. */
export function rangeAnswer(
  content: { readonly length: number; read(range: ByteRange): AsyncIterable<Uint8Array> },
  header: string | undefined,
  mediaType: string,
): ApiAnswer {
  const { length } = content;
  const range = parseRange(header, length);
  const { first, last } = range ?? { first: 0, last: length - 1 };
  return {
    status: range ? 206 : 200,
    headers: {
      'Content-Type': mediaType,
      ...(range ? { 'Content-Range': `bytes ${first}-${last}/${length}` } : {}),
    },
    stream: { pieces: content.read({ first, last }), length: last - first + 1 },
  };
}
