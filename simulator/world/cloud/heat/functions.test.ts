import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { evaluate, NotYet, type Scope } from './functions.ts';

const scope: Scope = {
  parameter: (name) =>
    ({ nfv: { VDU: { a: { flavor: 'm1' } }, list: [{ ip: '1.2.3.4' }] }, names: ['x', 'y'] })[name] ?? 'plain',
  reference: (name) => `id-of-${name}`,
  attribute: (resource, name, path) => `${resource}.${name}${path.map((step) => `[${step}]`).join('')}`,
  file: (name) => `content of ${name}`,
  condition: (name) => name === 'yes',
};

describe('intrinsic functions', () => {
  it.each<[string, Json, Json]>([
    ['get_param by name', { get_param: 'other' }, 'plain'],
    ['get_param through maps', { get_param: ['nfv', 'VDU', 'a', 'flavor'] }, 'm1'],
    ['get_param through lists', { get_param: ['nfv', 'list', 0, 'ip'] }, '1.2.3.4'],
    ['get_param of an absent key is empty, as in Heat', { get_param: ['nfv', 'VDU', 'zzz', 'flavor'] }, ''],
    ['get_resource', { get_resource: 'port' }, 'id-of-port'],
    ['get_attr with a path', { get_attr: ['port', 'fixed_ips', 0, 'ip_address'] }, 'port.fixed_ips[0][ip_address]'],
    ['get_file', { get_file: 'a.sh' }, 'content of a.sh'],
    ['list_join', { list_join: ['-', ['a', { get_param: 'p' }], ['c']] }, 'a-plain-c'],
    ['str_split with an index', { str_split: [',', 'a,b,c', 1] }, 'b'],
    [
      'str_replace: the longest name wins, nothing is replaced twice',
      { str_replace: { template: '$ab $a', params: { $a: '$ab', $ab: 'X' } } },
      'X $ab',
    ],
    [
      'str_replace of a map gives JSON',
      { str_replace: { template: 'v=%m%', params: { '%m%': { k: 1 } } } },
      'v={"k": 1}',
    ],
    ['map_merge: the last one wins', { map_merge: [{ a: 1, b: 1 }, { b: 2 }] }, { a: 1, b: 2 }],
    [
      'repeat over a list',
      { repeat: { for_each: { '%n%': { get_param: 'names' } }, template: { name: 'vm-%n%' } } },
      [{ name: 'vm-x' }, { name: 'vm-y' }],
    ],
    [
      'repeat over two lists makes every pair',
      { repeat: { for_each: { A: ['1', '2'], B: ['3', '4'] }, template: 'A-B' } },
      ['1-3', '1-4', '2-3', '2-4'],
    ],
    ['if takes one branch', { if: ['yes', 'a', 'b'] }, 'a'],
    ['if takes the other', { if: [{ not: 'yes' }, 'a', 'b'] }, 'b'],
    ['equals', { equals: [{ get_param: 'p' }, 'plain'] }, true],
    ['and, or', { or: [{ and: ['yes', 'no'] }, 'yes'] }, true],
    ['an unknown function stays as it is', { get_zzz: 'z' }, { get_zzz: 'z' }],
    ['a map of two keys is no function', { get_param: 'p', get_file: 'f' }, { get_param: 'p', get_file: 'f' }],
  ])('%s', (_name, node, expected) => {
    expect(evaluate(node, scope)).toEqual(expected);
  });

  it('throws NotYet when a value does not exist yet', () => {
    const early = {
      ...scope,
      reference: (name: string) => {
        throw new NotYet(name);
      },
    };
    expect(() => evaluate([{ get_resource: 'port' }], early)).toThrow(NotYet);
  });
});
