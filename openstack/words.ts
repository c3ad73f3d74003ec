import { z } from 'zod';

const MAX_WORDS = 600;
const message = z.looseObject({
  message: z.string().optional(),
  title: z.string().optional(),
  type: z.string().optional(),
});
const anyObject = z.record(z.string(), z.unknown());

/** How a service explains a failure. */
export interface ServiceWords {
  /** The explanation: one line, no markup. May be empty. */
  readonly words: string;
  /** The service's own name of the error, for example `StackExists`. */
  readonly type?: string;
}

/**
 * Finds the explanation in the error bodies of the services: Keystone and Heat `{error: {message, type}}`, Neutron
 * `{NeutronError: {message, type}}`, Nova `{itemNotFound: {message}}`, Glance and webob `{message: html, title}`, plain
 * text or HTML.
 */
export function serviceWords(body: string): ServiceWords {
  const top = anyObject.safeParse(parsed(body)).data;
  if (!top) return { words: tidy(body) };
  const { explanation, title } = z
    .looseObject({ explanation: z.string().optional(), title: z.string().optional() })
    .catch({})
    .parse(top);
  const inner = innerMessage(top);
  const words = tidy(inner?.message || textOf(top['message']) || explanation || inner?.title || title || '');
  return { words, ...(inner?.type ? { type: inner.type } : {}) };
}

function innerMessage(top: Record<string, unknown>): z.infer<typeof message> | undefined {
  const candidates = [top['error'], top['NeutronError'], ...Object.values(top)];
  return candidates
    .filter((each) => typeof each === 'object')
    .map((each) => message.safeParse(each).data)
    .find(Boolean);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function tidy(text: string): string {
  const plain = text
    .slice(0, 20_000)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > MAX_WORDS ? `${plain.slice(0, MAX_WORDS)}…` : plain;
}
