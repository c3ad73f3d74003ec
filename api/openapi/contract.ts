import { z } from 'zod';
import type { Method } from '../http/endpoint.ts';

/** The body of an answer: JSON of a schema, a file of one of some media types, or nothing. */
export type AnswerBody = z.ZodType | { readonly file: readonly string[] } | 'nothing';

/** What one method of a resource takes and gives. */
export interface Contract {
  readonly summary: string;
  /** Query parameters. The document names them; handlers read them themselves. */
  readonly query?: z.ZodObject;
  /** Schema of a JSON body. */
  readonly body?: z.ZodType;
  /** Media type of a body that is a file. */
  readonly upload?: string;
  /** The answers that are no problems, by status. */
  readonly answers: Readonly<Record<number, AnswerBody>>;
  /** True when the answer has a `Location`. */
  readonly hasLocation?: true;
}

/** Contracts by path and method. A path has `{name}` for its variable parts. */
export type Contracts = Readonly<Record<string, Readonly<Partial<Record<Method, Contract>>>>>;

/** The resources under one prefix. They share the form of their problems. */
export interface Face {
  readonly prefix: string;
  readonly contracts: Contracts;
  /** Schema and media type of every answer from 400 up that no contract names. */
  readonly problem: z.ZodType;
  readonly problemType: string;
  /** Headers that each request needs besides its token. */
  readonly headers?: z.ZodObject;
  /** True when some requests need no token: those that are named here, as `GET /path`. */
  readonly open?: readonly string[];
}

export function shows(summary: string, answer: z.ZodType, query?: z.ZodObject): Contract {
  return { summary, answers: { 200: answer }, ...(query === undefined ? {} : { query }) };
}

/** @param body undefined: the request has none */
export function accepts(summary: string, body?: z.ZodType): Contract {
  return { summary, answers: { 202: 'nothing' }, ...(body === undefined ? {} : { body }) };
}

export function removes(summary: string): Contract {
  return { summary, answers: { 204: 'nothing' } };
}

/** Query of a list of SOL003 resources (docs/api.md, "Lists"). */
export const ListQuery = z.object({
  filter: z.string().optional(),
  fields: z.string().optional(),
  exclude_fields: z.string().optional(),
  all_fields: z.string().optional(),
  exclude_default: z.string().optional(),
  nextpage_opaque_marker: z.string().optional(),
});

/** Query of a list that has pages, unless the request has `all_records`. */
export const PagedListQuery = ListQuery.extend({ all_records: z.enum(['yes']).optional() });
