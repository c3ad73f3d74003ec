import type { RequestHandler, Response } from 'express';
import { foreignText } from '../../domain/foreign-text.ts';
import { parseTraceparent } from '../../tracing/span-place.ts';
import { presentRecorder, runInSpan, type SpanAttributes } from '../../tracing/spans.ts';
import type { Caller } from '../auth/authenticate.ts';
import { accessOf, isMethod } from './endpoint.ts';

/**
 * Records each request that writes as a span: the first one of a trace, or the next one of the trace that the client
 * names (`traceparent`). Reads make none: there are many of them, and no operation begins with one.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const recorder = presentRecorder();
  const { method, headers } = request;
  if (!recorder || !isMethod(method) || accessOf(method) === 'read') return next();
  const attributes = {
    'http.request.method': method,
    'url.path': foreignText(request.originalUrl.split('?')[0] ?? ''),
    'client.address': request.socket.remoteAddress,
  };
  const parent = parseTraceparent(headers['traceparent']?.toString());
  const span = recorder.start({ name: method, kind: 'server', attributes }, parent);
  response.once('close', () => {
    const { route, outcome, failure } = readOutcome(response);
    if (route !== undefined) span.rename(`${method} ${route}`);
    span.add({ 'http.route': route, ...outcome });
    span.end(failure);
  });
  runInSpan(span, next);
};

/** @returns `failure` for a defect of the server only, as OpenTelemetry's conventions for HTTP want it */
function readOutcome({ locals, statusCode }: Response): { route?: string; outcome: SpanAttributes; failure?: string } {
  const { route, code, requestId, caller } = locals as {
    route?: string;
    code?: string;
    requestId?: string;
    caller?: Caller;
  };
  return {
    ...(route === undefined ? {} : { route }),
    outcome: {
      'http.response.status_code': statusCode,
      'vnflow.request.id': requestId,
      'vnflow.project': caller?.tenant,
      'vnflow.error.code': code,
    },
    ...(statusCode >= 500 ? { failure: code ?? String(statusCode) } : {}),
  };
}
