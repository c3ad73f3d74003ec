import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemDetails } from '../../domain/problems.ts';
import { VnflowError } from '../../domain/problems.ts';
import type { Method } from './endpoint.ts';
import { checkVersionHeader, SOL_V1_VERSION, SOL_VERSION } from './version-header.ts';

/** What the resources under one prefix have in common on the wire: Tacker serves three generations of API. */
export interface Dialect {
  /** Headers of every answer, errors included. */
  readonly headers: Readonly<Record<string, string>>;
  /** Checks what every request of the dialect must carry; after the body was parsed, before the handler. */
  readonly check: (headers: IncomingHttpHeaders) => void;
  readonly mediaTypes: (method: Method) => readonly string[];
  readonly problem: (problem: ProblemDetails) => { readonly mediaType: string; readonly body: unknown };
}

const problemJson = (problem: ProblemDetails) => ({ mediaType: 'application/problem+json', body: problem });

const jsonTypes = (method: Method) =>
  method === 'PATCH'
    ? ['application/json', 'application/merge-patch+json', 'text/plain']
    : ['application/json', 'text/plain'];

/** vnflcm v2: `Version` and `Accept` are checked, `Version` and `Accept-Ranges` are sent. */
export const solDialect: Dialect = {
  headers: { Version: SOL_VERSION, 'Accept-Ranges': 'none' },
  check: (headers) => {
    checkAcceptsJson(headers.accept);
    const version = headers['version'];
    checkVersionHeader(typeof version === 'string' ? version : undefined);
  },
  mediaTypes: jsonTypes,
  problem: problemJson,
};

/** The dialect of the version lists: that of vnflcm v2, without the `Version` request header. */
export const solVersionsDialect: Dialect = { ...solDialect, check: (headers) => checkAcceptsJson(headers.accept) };

/**
 * vnflcm v1: requests may have any `Version` or none, as in Tacker's old framework. Answers have the version that is
 * served.
 */
export const solV1Dialect: Dialect = {
  ...solDialect,
  headers: { Version: SOL_V1_VERSION },
  check: (headers) => checkAcceptsJson(headers.accept),
};

/** vnfpkgm v1: the old framework. No `Version`. What may be accepted differs by resource. */
export const packageDialect: Dialect = {
  headers: {},
  check: () => undefined,
  mediaTypes: jsonTypes,
  problem: problemJson,
};

/** Our own resources. */
export const vnflowDialect: Dialect = { ...packageDialect, check: (headers) => checkAcceptsJson(headers.accept) };

/** v1.0 (VIMs): errors are TackerErrors, of which clients need all three members. */
export const vimDialect: Dialect = {
  ...vnflowDialect,
  problem: (problem) => ({
    mediaType: 'application/json',
    body: {
      TackerError: {
        type: TACKER_ERROR_TYPES[problem.code] ?? problem.code,
        message: problem.detail,
        detail: [problem.remedy, problem.seen].filter(Boolean).join(' '),
      },
    },
  }),
};

const TACKER_ERROR_TYPES: Readonly<Partial<Record<ProblemDetails['code'], string>>> = {
  BAD_REQUEST: 'HTTPBadRequest',
  UNAUTHORIZED: 'HTTPUnauthorized',
  NOT_FOUND: 'VimNotFoundException',
  CONFLICT: 'VimDefaultDuplicateException',
  VIM_CREDENTIALS: 'VimUnauthorizedException',
  VIM_UNREACHABLE: 'VimConnectionException',
};

/** @throws VnflowError NOT_ACCEPTABLE */
function checkAcceptsJson(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return;
  const accepted = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return { type, refused: parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) };
  });
  const fits = ({ type, refused }: (typeof accepted)[number]) =>
    !refused && (type === 'application/json' || type === 'application/*' || type === '*/*');
  if (!accepted.some(fits)) {
    throw new VnflowError('NOT_ACCEPTABLE', {
      detail: `The header Accept: ${accept.slice(0, 100)} excludes application/json.`,
    });
  }
}
