import { csarInvalid } from './csar-problem.ts';

/**
 * Decodes a text file of a package.
 * @param path for the message
 * @param bytes undefined when the file was too large to be kept
 * @throws VnflowError CSAR_INVALID when the file is too large or not UTF-8
 */
export function decodeText(path: string, bytes: Buffer | undefined): string {
  if (bytes === undefined) throw csarInvalid(`The entry ${path} is too large for its kind; make it smaller.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw csarInvalid(`The entry ${path} is not UTF-8 text; save it as UTF-8.`, error);
  }
}
