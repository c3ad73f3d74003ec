/** Quotes one word for the shell. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_/:=.,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
