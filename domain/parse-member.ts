import type { z } from 'zod';
import { VnflowError } from './problems.ts';

/**
 * Checks a member of a request against its schema.
 * @param at the path to the member, for the message
 * @throws VnflowError BAD_REQUEST naming the first member that does not fit; never with the member's value
 */
export function parseMember<T>(schema: z.ZodType<T>, value: unknown, at: readonly string[]): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [...at, ...(issue?.path ?? []).map(String)].join('.') || 'The request body';
  throw new VnflowError('BAD_REQUEST', { detail: `${where}: ${issueSentence(issue)}.` });
}

function issueSentence(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'is not valid';
  if (/received undefined$/.test(issue.message)) return 'is missing';
  if (issue.code === 'invalid_union') return 'has a type that is not allowed here';
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'is not a valid key';
  return issue.message.replace(/^Invalid (input|option): /, '');
}
