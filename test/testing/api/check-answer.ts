import { z } from 'zod';
import type { AnswerBody, Contract, Face } from '../../../api/openapi/contract.ts';
import { FACES } from '../../../api/openapi/faces.ts';

export interface ReceivedAnswer {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly status: number;
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | null | undefined;
  readonly text: string;
}

interface Documented {
  readonly pattern: RegExp;
  readonly face: Face;
  readonly contracts: Readonly<Record<string, Contract | undefined>>;
}

const RESOURCES: readonly Documented[] = FACES.flatMap((face) =>
  Object.entries(face.contracts).map(([path, contracts]) => ({
    pattern: patternOf(`${face.prefix}${path}`),
    face,
    contracts,
  })),
);

/**
 * A pattern for the paths of a route. They may begin with several slashes; the path of an artifact may contain slashes;
 * clients of /v1.0 may append `.json`.
 */
function patternOf(path: string): RegExp {
  const parts = path
    .replace(/[.]/g, '\\.')
    .replace('{path}', '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^/*${parts}${path.startsWith('/v1.0') ? '(\\.json)?' : ''}$`);
}

/**
 * Compares an answer with what the OpenAPI document says about it: status, body, media type, `Location`.
 * @throws Error naming what does not fit
 */
export function checkAnswer(answer: ReceivedAnswer): void {
  const { method, path, status } = answer;
  const [pathname = ''] = path.split('?');
  const documented = RESOURCES.find(({ pattern }) => pattern.test(pathname));
  const contract = documented?.contracts[method];
  const body = contract?.answers[status];
  const wrong = body === undefined ? wrongRefusal(answer, documented?.face) : wrongSuccess(answer, contract, body);
  if (wrong === undefined) return;
  throw new Error(
    `${method} ${path} answered ${status}, which its OpenAPI document does not say: ${wrong}\n${answer.text}`,
  );
}

function wrongSuccess(answer: ReceivedAnswer, contract: Contract | undefined, body: AnswerBody): string | undefined {
  if (contract?.hasLocation && !answer.header('location')) return 'Location is missing';
  if (body === 'nothing') return answer.text === '' ? undefined : 'there is a body';
  const type = answer.header('content-type') ?? '';
  if (!(body instanceof z.ZodType)) {
    const known = body.file.includes('*/*') || body.file.includes(type);
    return known ? undefined : `Content-Type is ${type}`;
  }
  if (type !== 'application/json') return `Content-Type is ${type}`;
  return mismatch(body, answer.text);
}

function wrongRefusal({ method, status, header, text }: ReceivedAnswer, face: Face | undefined): string | undefined {
  if (status < 400) return 'no such status';
  if (method === 'HEAD') return undefined;
  const { problem, problemType } = face ?? PROBLEMS;
  const type = header('content-type');
  // Below /v1.0 a path that is no resource is refused as the others are.
  if (face === undefined && type === 'application/json') return mismatch(VIM_PROBLEM, text);
  return type === problemType ? mismatch(problem, text) : `Content-Type is ${type}`;
}

const [PROBLEMS] = FACES as [Face, ...Face[]];
const VIM_PROBLEM = FACES.find(({ prefix }) => prefix === '/v1.0')?.problem ?? z.never();

function mismatch(schema: z.ZodType, text: string): string | undefined {
  const { error } = schema.safeParse(JSON.parse(text));
  return error && z.prettifyError(error);
}
