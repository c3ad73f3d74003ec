import { expect, it } from 'vitest';
import { foreignText } from './foreign-text.ts';
import { secretValues, withoutSecrets } from './redaction.ts';

/** What takes linear time needs a few milliseconds; what takes quadratic time needs many seconds. */
const LIMIT_MS = 1_000;

const HOSTILE: readonly (readonly [string, string])[] = [
  ['names with dots', 'a.'.repeat(150_000)],
  ['schemes without an end', 'a+'.repeat(150_000)],
  ['empty URLs', 'a://'.repeat(80_000)],
  ['URLs with user info that never ends', `a://${'b:'.repeat(150_000)}`],
  ['unterminated titles of a terminal', '\u001b]'.repeat(150_000)],
  ['unterminated titles with text', '\u001b]0;a'.repeat(60_000)],
  ['unterminated C1 strings', '\u009d'.repeat(300_000)],
  ['control sequences without an end', '\u001b[1;1;'.repeat(50_000)],
  ['one control sequence without an end', `\u001b[${'1;'.repeat(150_000)}`],
];

it.each(HOSTILE)('cleans and redacts %s in linear time', (_, text) => {
  for (const work of [foreignText, withoutSecrets, secretValues]) {
    const since = performance.now();
    work(text);
    expect(performance.now() - since).toBeLessThan(LIMIT_MS);
  }
});

it.each([
  ['http://user:password@proxy:3128', 'http://***@proxy:3128'],
  ['http://user:a@b@proxy:3128/x@y', 'http://***@proxy:3128/x@y'],
  ['-http://user:password@proxy', '-http://***@proxy'],
  ['see (https://token@host) and a@b', 'see (https://***@host) and a@b'],
])('hides the user info of %s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});

it.each([
  ['a title that a string terminator ends', 'a\u001b]0;owned\u001b\\b', 'ab'],
  ['a device control string', 'a\u001bP1$r0m\u001b\\b', 'ab'],
  ['a choice of the character set', 'a\u001b(Bb', 'ab'],
  ['a cursor that moves', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
])('removes %s', (_, text, cleaned) => {
  expect(foreignText(text)).toBe(cleaned);
});
