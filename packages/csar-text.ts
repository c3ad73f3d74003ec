import { csarInvalid } from './csar-problem.ts';

/**
 * @param path for the sentence
 * @param bytes absent when the file was too large to be kept
 * @throws VnflowError CSAR_INVALID when it is no UTF-8
 */
export function decodeText(path: string, bytes: Buffer | undefined): string {
  if (bytes === undefined) throw csarInvalid(`The entry ${path} is too large for its kind; make it smaller.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw csarInvalid(`The entry ${path} is not UTF-8 text; save it as UTF-8.`, error);
  }
}
