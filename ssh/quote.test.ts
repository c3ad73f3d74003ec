import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandLine, environmentFile, quote } from './quote.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      "'",
      '"',
      '\\',
      '$',
      '`',
      '\n',
      '!',
      '*',
      ' ',
      ';',
      '&',
      '(',
      '~',
      '#',
      '-',
      'a',
      '\r',
      '\x01',
    ),
  }),
);
const withoutNul = hostile.filter((text) => !text.includes('\0') && text.isWellFormed());

describe.each(['/bin/sh', '/bin/bash'])('a word on its way through %s', (shell) => {
  test('arrives unchanged, whatever characters it contains', () => {
    fc.assert(
      fc.property(fc.array(withoutNul, { minLength: 1, maxLength: 20 }), (words) => {
        const seen = execFileSync(shell, ['-c', `printf '%s\\0' ${commandLine(words)}`], { encoding: 'utf8' });
        expect(seen.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  test('arrives unchanged as a variable of a sourced file, whatever characters it contains', () => {
    fc.assert(
      fc.property(withoutNul, withoutNul, (first, second) => {
        const file = environmentFile({ FIRST: first, SECOND: second });
        const script = `${file}printenv -0 FIRST SECOND`;
        const seen = execFileSync(shell, ['-c', script], { encoding: 'utf8' });
        expect(seen.split('\0').slice(0, -1)).toEqual([first, second]);
      }),
      { numRuns: 60 },
    );
  });
});

test('a NUL character and a name that is no variable are refused', () => {
  expect(() => quote('a\0b')).toThrow(RangeError);
  expect(() => environmentFile({ 'A;reboot': '1' })).toThrow('not the name of a variable');
});
