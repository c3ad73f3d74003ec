import { z } from 'zod';
import { parseAnswer } from './answer-json.ts';
import { recordOf } from './bounded.ts';

const MAX_WORDS = 600;
/** An error body of a service is small; a larger one is not read. */
const MAX_ERROR_CHARACTERS = 64 * 1024;

/** How a service explains a failure. */
export interface ServiceWords {
  /** The explanation: one line, no markup. Empty when the answer is not the error of an OpenStack service. */
  readonly words: string;
  /** The service's own name of the error, for example `StackExists`. */
  readonly type?: string;
}

interface Found {
  readonly words: string | undefined;
  readonly type?: string | undefined;
}

const text = z.string().optional();
const typeName = z
  .string()
  .regex(/^\w{1,80}$/)
  .optional()
  .catch(undefined);

/**
 * The shapes of OpenStack's error bodies. Only a body with one of these shapes, and with the status of the answer, is
 * shown: the endpoint of a VIM may be any host that vnflow reaches, and an answer of something else is nothing for the
 * caller to see.
 */
const SHAPES: readonly ((status: number) => z.ZodType<Found>)[] = [
  // Heat
  (status) =>
    z
      .looseObject({
        code: z.literal(status),
        title: z.string(),
        explanation: z.string(),
        error: z.looseObject({ type: typeName, message: text }),
      })
      .transform(({ error, explanation, title }) => ({
        words: error.message || explanation || title,
        type: error.type,
      })),
  // Neutron
  () =>
    z
      .strictObject({ NeutronError: z.looseObject({ type: z.string(), message: z.string(), detail: z.unknown() }) })
      .transform(({ NeutronError: { message, type } }) => ({ words: message, type: typeName.parse(type) })),
  // Glance, and the WSGI library of all services
  (status) =>
    z
      .looseObject({
        code: z.templateLiteral([z.literal(status), ' ', z.string()]),
        title: z.string(),
        message: z.string(),
      })
      .transform(({ message, title }) => ({ words: tidy(message) || title })),
  // Keystone: `error`; Nova: `itemNotFound`, `conflictingRequest`, …
  (status) =>
    recordOf(z.looseObject({ code: z.literal(status), message: z.string(), title: text }), 1).transform((body) => {
      const [fault] = Object.values(body);
      return { words: fault?.message || fault?.title };
    }),
];

/**
 * Finds the explanation in the error body of a service.
 * @returns empty words when the body has no shape of an OpenStack error: HTML, plain text, JSON of something else
 */
export function serviceWords({ status, body }: { readonly status: number; readonly body: string }): ServiceWords {
  if (body.length > MAX_ERROR_CHARACTERS) return { words: '' };
  const value = parseAnswer(body);
  for (const shape of SHAPES) {
    const found = shape(status).safeParse(value);
    if (!found.success) continue;
    const { words, type } = found.data;
    return { words: tidy(words ?? ''), ...(type ? { type } : {}) };
  }
  return { words: '' };
}

function tidy(words: string): string {
  const plain = words
    .slice(0, 20_000)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > MAX_WORDS ? `${plain.slice(0, MAX_WORDS)}…` : plain;
}
