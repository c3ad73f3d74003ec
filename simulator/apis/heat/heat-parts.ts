import type { Stack } from '../../world/cloud/cloud-state.ts';
import type { Foundation } from '../../world/cloud/foundation.ts';
import type { Designer } from '../../world/cloud/heat/design.ts';
import type { Engine } from '../../world/cloud/heat/engine.ts';
import { isDeleted, type StackStore } from '../../world/cloud/heat/stack-store.ts';
import type { Validator } from '../../world/cloud/heat/validation.ts';
import { Refusal, STATUS_TITLES } from '../../world/cloud/refusal.ts';
import type { Answer, Call } from '../service.ts';
import type { StackViews } from './views.ts';

/** The parts that Heat's routes use. */
export interface HeatParts {
  readonly foundation: Foundation;
  readonly designer: Designer;
  readonly validator: Validator;
  readonly store: StackStore;
  readonly engine: Engine;
  readonly views: StackViews;
}

export const EXPLANATIONS: Readonly<Record<number, string>> = {
  400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  409: 'There was a conflict when trying to complete your request.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/** Returns the project of the URL. @throws Refusal 403 when it is another project and the caller is no admin */
export function projectOf({ params, session }: Call): string {
  const project = params['project'] ?? '';
  if (project !== session.projectId && !session.admin) {
    throw new Refusal(403, 'HTTPForbidden', EXPLANATIONS[403] ?? '');
  }
  return project;
}

/** Returns the stack that the URL names by name and id. @throws Refusal 404 */
export function stackOf({ foundation }: HeatParts, call: Call): Stack {
  const project = projectOf(call);
  const name = call.params['name'] ?? '';
  const stack = foundation.state.stacks[call.params['id'] ?? ''];
  if (!stack || stack.projectId !== project || stack.name !== name) throw createStackRefusal(name);
  return stack;
}

export function livingStack(parts: HeatParts, call: Call): Stack {
  const stack = stackOf(parts, call);
  if (isDeleted(stack)) throw createStackRefusal(stack.name);
  return stack;
}

export function createStackRefusal(name: string): Refusal {
  return new Refusal(404, 'EntityNotFound', `The Stack (${name}) could not be found.`);
}

/** A 202 answer of Heat's web framework: JSON for clients that accept it, HTML for others. */
export function answerAccepted({ headers }: Call): Answer {
  const text = 'The request is accepted for processing.';
  return answerText(202, text, { headers, extra: {} });
}

export function answerText(
  status: number,
  text: string,
  at: { headers: Call['headers']; extra: Record<string, string> },
): Answer {
  const title = STATUS_TITLES[status] ?? '';
  if (!String(at.headers['accept'] ?? '').includes('application/json')) {
    const html = `<html>\n <head>\n  <title>${status} ${title}</title>\n </head>\n <body>\n  <h1>${status} ${title}</h1>\n  ${text}<br /><br />\n\n\n\n </body>\n</html>`;
    return { status, html, headers: at.extra };
  }
  const message = status === 302 ? text : `${text}<br /><br />\n\n\n`;
  return { status, body: { message, code: `${status} ${title}`, title }, headers: at.extra };
}
