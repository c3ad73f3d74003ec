import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { Method } from '../http/endpoint.ts';
import type { AnswerBody, Contract, Face } from './contract.ts';
import { FACES } from './faces.ts';

type ResponseConfig = RouteConfig['responses'][string];

/**
 * OpenAPI 3.1, made of the schemas that check requests and, in tests, answers.
 * @param endpoint base URL of the server
 */
export function openApiDocument(endpoint: string) {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'token', { type: 'apiKey', in: 'header', name: 'X-Auth-Token' });
  for (const face of FACES) {
    for (const [path, methods] of Object.entries(face.contracts)) {
      for (const [method, contract] of Object.entries(methods)) {
        registry.registerPath(routeOf(face, { path, method: method as Method, contract }));
      }
    }
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'vnflow', version: '2.0.0' },
    servers: [{ url: endpoint }],
    security: [{ token: [] }],
  });
}

interface Route {
  readonly path: string;
  readonly method: Method;
  readonly contract: Contract;
}

function routeOf(face: Face, { path, method, contract }: Route): RouteConfig {
  const { summary, query, body, upload } = contract;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()] as const);
  const content = contentOf(upload === undefined ? (body ?? 'nothing') : { file: [upload] });
  return {
    method: LOWER[method],
    path: `${face.prefix}${path}`,
    summary,
    request: {
      ...(names.length === 0 ? {} : { params: z.object(Object.fromEntries(names)) }),
      ...(query === undefined ? {} : { query }),
      ...(face.headers === undefined ? {} : { headers: face.headers }),
      ...(content === undefined ? {} : { body: { required: true, content } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(contract.answers).map(([status, body]) => [status, answerOf(contract, body)]),
      ),
      default: { description: 'A problem', content: { [face.problemType]: { schema: face.problem } } },
    },
    ...(face.open?.includes(`${method} ${path}`) ? { security: [] } : {}),
  };
}

const LOWER = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

function answerOf({ hasLocation }: Contract, body: AnswerBody): ResponseConfig {
  const content = contentOf(body);
  return {
    description: body === 'nothing' ? 'Done or accepted; there is no body' : 'Done',
    ...(content === undefined ? {} : { content }),
    ...(hasLocation ? { headers: z.object({ Location: z.string() }) } : {}),
  };
}

function contentOf(body: AnswerBody) {
  if (body === 'nothing') return undefined;
  if (body instanceof z.ZodType) return { 'application/json': { schema: body } };
  return Object.fromEntries(body.file.map((type) => [type, { schema: { type: 'string', format: 'binary' } as const }]));
}
