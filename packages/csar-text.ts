import { createCsarProblem } from './csar-problem.ts';

/** Control characters of terminals, and those that change the direction of text. Tabs and line ends may be. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]/;

/**
 * Decodes a text file of a package.
 * @param path for the message
 * @param bytes undefined when the file was too large to be kept
 * @throws VnflowError CSAR_INVALID when the file is too large, not UTF-8, or has control characters
 */
export function decodeText(path: string, bytes: Buffer | undefined): string {
  if (bytes === undefined) throw createCsarProblem(`The entry ${path} is too large for its kind; make it smaller.`);
  const text = decodeUtf8(path, bytes);
  if (CONTROL.test(text)) throw createCsarProblem(`The entry ${path} has control characters; remove them.`);
  return text;
}

function decodeUtf8(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw createCsarProblem(`The entry ${path} is not UTF-8 text; save it as UTF-8.`, error);
  }
}
