import { stripVTControlCharacters } from 'node:util';

/** Text that came from a node or another server, made harmless for the terminal: no escapes, no control characters but line ends. */
export function plainText(text: string): string {
  return [...stripVTControlCharacters(text)]
    .filter((char) => char === '\n' || (char >= ' ' && char !== '\u007f'))
    .join('');
}
