import { foreignText } from '../domain/foreign-text.ts';
import { createCsarProblem } from './csar-problem.ts';

const MAX_NAME_BYTES = 512;
/** Real packages have up to ten; the check of each folder of each name costs time. */
const MAX_DEPTH = 32;

/** Properties that a name must not have, with the words of the message. */
const REFUSALS: readonly (readonly [test: (name: string) => boolean, reason: string])[] = [
  [(name) => name.replace(/\/$/, '') === '', 'has no name'],
  [(name) => Buffer.byteLength(name) > MAX_NAME_BYTES, `has a name longer than ${MAX_NAME_BYTES} bytes`],
  [
    (name) => /[\n\t\ufffd]/.test(name) || foreignText(name) !== name,
    'has control characters, or bytes that are no UTF-8, in its name',
  ],
  [(name) => name.split('/').length > MAX_DEPTH, `lies more than ${MAX_DEPTH - 1} folders deep`],
  [(name) => name.includes('\\'), 'has a backslash in its name; separate folders with "/"'],
  [(name) => name.startsWith('/') || /^[A-Za-z]:/.test(name), 'has an absolute name; make it relative to the package'],
  [(name) => name.split('/').includes('..'), 'leads out of the package by ".."; name files inside the package only'],
  [(name) => /(^|\/)\.(\/|$)|\/\//.test(name), 'has "." or an empty part in its name; write the plain path'],
];

/**
 * Refuses names of entries that would lead out of the folder when the package is unpacked, or that two programs could
 * read in two ways.
 * @param name as in the archive; the name of a folder ends with "/"
 * @throws VnflowError CSAR_INVALID
 */
export function checkEntryName(name: string): void {
  const refusal = REFUSALS.find(([test]) => test(name));
  if (refusal) throw createCsarProblem(`The entry ${JSON.stringify(name.slice(0, 200))} ${refusal[1]}.`);
}
