import { stripVTControlCharacters } from 'node:util';

/**
 * Makes text from a node or a server harmless for the terminal: removes escape sequences, and control characters but
 * line ends.
 */
export function plainText(text: string): string {
  return [...stripVTControlCharacters(text)]
    .filter((char) => char === '\n' || (char >= ' ' && char !== '\u007f'))
    .join('');
}
