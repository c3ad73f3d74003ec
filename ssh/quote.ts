/**
 * Quotes one word for a POSIX shell: whatever the text is, the shell sees exactly this text as one argument.
 * @throws RangeError when the text has a NUL character: no shell argument and no environment variable can carry one.
 * @internal exported for tests
 */
export function quote(word: string): string {
  if (word.includes('\0')) throw new RangeError('A shell word cannot contain a NUL character.');
  if (/^[A-Za-z0-9_/:=.,@%+-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line of words, each quoted. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

/**
 * The text of a file that a POSIX shell can source: one `export NAME='value'` per variable, any value but NUL.
 * @throws RangeError when a name is not a shell variable's name, or a value has a NUL.
 */
export function environmentFile(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new RangeError(`"${name}" is not the name of a variable.`);
      return `export ${name}=${quote(value)}\n`;
    })
    .join('');
}
