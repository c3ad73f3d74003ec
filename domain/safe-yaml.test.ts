import { describe, expect, it } from 'vitest';
import { readYaml, writeYaml } from './safe-yaml.ts';

describe('untrusted YAML', () => {
  it('is read as Heat reads it: 1.1 booleans, dates as text', () => {
    expect(readYaml('heat_template_version: 2013-05-23\na: yes\nb: "yes"\n')).toEqual({
      heat_template_version: '2013-05-23',
      a: true,
      b: 'yes',
    });
  });

  it.each([
    ['an alias bomb', bomb(9), 'expands its aliases without end'],
    ['a bomb of merge keys', 'a: &a {<<: *a}', 'aliases'],
    ['a value that contains itself', 'a: &a [*a]', 'contains itself'],
    ['endless brackets', `a: ${'['.repeat(5000)}`, 'nested deeper than 64'],
    ['endless dashes', `${'- '.repeat(3000)}x`, 'nested deeper than 64'],
    ['endless indentation', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'), 'nested deeper'],
    ['a chain of question marks', `${'? '.repeat(3000)}a`, 'is not YAML'],
    ['a huge file', 'x'.repeat(1_000_001), 'is longer than 1000000'],
    ['two documents', 'a: 1\n---\nb: 2\n', 'is not YAML'],
    ['a control character', 'a: "\u0001"', 'is not YAML: it has the character U+0001'],
    ['a quoted text without end', 'a: ["b\nc: d\n', 'is not YAML'],
    ['no YAML', 'a: "', 'is not YAML'],
  ])('%s is refused with the reason, quickly', (_what, text, reason) => {
    const begun = performance.now();
    expect(() => readYaml(text)).toThrow(reason);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  it('reads a custom type as plain data, and a __proto__ as a key like any other', () => {
    const read = readYaml('a: !python/object:os.system x\n__proto__: {polluted: true}\n');
    expect(read).toHaveProperty('a', 'x');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    ['YAML 1.1 booleans; y and n are text', 'a: [on, Off, YES, no, y, N]', { a: [true, false, true, false, 'y', 'N'] }],
    [
      'YAML 1.1 numbers; what PyYAML does not know is text',
      'a: [010, 0x1F, 0b11, 1_000, 1:30, -.5, 1.5e+3, 1e3, 08, 0o10, +.5]',
      { a: [8, 31, 3, 1000, 90, '-.5', 1500, '1e3', '08', '0o10', '+.5'] },
    ],
    ['a directive of another version', '%YAML 1.2\n---\na: yes', { a: true }],
    ['the last value of a key that a map has twice', 'a: 1\nb: {x: 1, x: 2}\na: 2\n', { a: 2, b: { x: 2 } }],
    [
      'merge keys, also twice: what the map itself has wins',
      'x: &x {a: 1, b: 1}\nz: &z {c: 3}\ny:\n  b: 2\n  <<: *x\n  <<: *z\n',
      { x: { a: 1, b: 1 }, z: { c: 3 }, y: { a: 1, b: 2, c: 3 } },
    ],
    [
      'a list that goes on in the first column, as in ETSI\u2019s type files',
      'a:\n  - valid: [ b, \nc ] # d\n    e: |\n      [ "no list\n  - {f:\n1}\ng: h\n',
      { a: [{ valid: ['b', 'c'], e: '[ "no list\n' }, { f: 1 }], g: 'h' },
    ],
    [
      'quoted text that goes on in the first column or after a tab',
      "a: \"b\n\n# c\\\"\nd\"\ne: 'f\n\t''g'\nh: it's\n",
      { a: 'b\n# c" d', e: "f 'g", h: "it's" },
    ],
  ])('is read as PyYAML reads it: %s', (_what, text, value) => {
    expect(readYaml(text)).toEqual(value);
  });

  it('is written so that a YAML 1.1 reader gets exactly the values that were written', () => {
    const value = { version: '2013-05-23', no: 'no', time: '22:10', octal: '010', list: ['on', true, 0] };
    expect(writeYaml(value)).toContain('"22:10"');
    expect(readYaml(writeYaml(value))).toEqual(value);
  });
});

/** "Billion laughs": each level ten times the one before. */
function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < levels; n++)
    lines.push(
      `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}
