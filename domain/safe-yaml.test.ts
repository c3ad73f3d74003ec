import { describe, expect, it } from 'vitest';
import { readYaml, writeYaml } from './safe-yaml.ts';

describe('YAML from strangers', () => {
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
    ['a key twice', 'a: 1\na: 2\n', 'is not YAML'],
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

  it('is written so that a YAML 1.1 reader gets the same values back', () => {
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
