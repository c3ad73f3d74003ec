import { z } from 'zod';
import { foreignText } from '../domain/foreign-text.ts';
import { VnflowError } from '../domain/problems.ts';

const STATES = ['absent', 'running', 'finished', 'vanished', 'unclear'] as const;

/** The state, the outputs and a piece of the log of a job, as one call of `lookCommand` read them. */
export interface JobLook {
  readonly state: (typeof STATES)[number];
  /** Exit code of a finished job. */
  readonly exit?: number | 'timeout';
  readonly outputs: Readonly<Record<string, string>>;
  readonly secretOutputs: Readonly<Record<string, string>>;
  /** Offset in the log of the first byte of `log`. */
  readonly logFrom: number;
  readonly log: Buffer;
}

const exitSchema = z.union([z.literal('timeout'), z.coerce.number().int().min(0).max(255)]);

/**
 * Parses the output of `lookCommand`.
 * @throws VnflowError NODE_PROFILE when other text comes before it, NODE_PROTOCOL when it has another format; the error never repeats the output, which may hold
 * secrets
 */
export function parseLook(bytes: Buffer, label: string): JobLook {
  const look = { outputs: {} as Record<string, string>, secretOutputs: {} as Record<string, string> };
  let state: JobLook['state'] | undefined;
  let exit: number | 'timeout' | undefined;
  let at = 0;
  let logFrom = 0;
  const profile = textBefore(bytes);
  if (profile !== '') throw createProfileProblem(label, profile);
  while (at < bytes.length) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline;
    const [keyword, rest] = cut(bytes.toString('utf8', at, end), ' ');
    at = end + 1;
    if (keyword === 'state') state = STATES.find((each) => each === rest);
    else if (keyword === 'exit') exit = exitSchema.safeParse(rest).data;
    else if (keyword === 'output') addOutput(look.outputs, rest, label);
    else if (keyword === 'secret') addOutput(look.secretOutputs, rest, label);
    else if (keyword === 'log') {
      logFrom = z.coerce.number().int().min(0).catch(0).parse(rest);
      break;
    } else throw createProtocolProblem(label, 'an unknown line in the state of a job');
  }
  if (!state || (state === 'finished' && exit === undefined)) throw createProtocolProblem(label, 'no state of a job');
  return { ...look, state, ...(exit === undefined ? {} : { exit }), logFrom, log: bytes.subarray(at) };
}

/** Text before the first line of the output. Only a profile of the login user prints there. */
function textBefore(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, 8192);
  const at = text.search(/^state \w+$/m);
  return at > 0 ? text.slice(0, at) : '';
}

/** A profile prints text into the output of every command, so that no answer can be read. */
export function createProfileProblem(label: string, text: string): VnflowError {
  return new VnflowError('NODE_PROFILE', {
    detail: `A login profile of the user on the ${label} prints text before the output of a command.`,
    seen: text.trim().slice(0, 300),
  });
}

function addOutput(outputs: Record<string, string>, line: string, label: string): void {
  if (line.trim() === '') return;
  const [key, value] = cut(line, '=');
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || !line.includes('=')) {
    throw createProtocolProblem(label, 'an output of the install script that is not KEY=value');
  }
  outputs[key] = foreignText(value);
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function createProtocolProblem(label: string, what: string): VnflowError {
  return new VnflowError('NODE_PROTOCOL', { detail: `The ${label} answered with ${what}.` });
}
