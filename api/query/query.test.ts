import { expect, it } from 'vitest';
import { filterOf, matchesFilter } from './filter.ts';
import { pageOf } from './page.ts';
import { createSelector } from './selectors.ts';

function parsed(filter: string) {
  return filterOf(new URLSearchParams({ filter }), { excludedByDefault: [], mandatory: [] });
}

const object = {
  id: 'a',
  vnfdId: 'v',
  isCancelPending: false,
  startTime: '2026-01-01T10:00:00.000000',
  level: 3,
  text: "it's (here), a/b@c~",
  nested: { 'a/b': { 'c,d': 'x' }, '@e': 'y' },
  list: ['red', 'blue'],
  items: [{ name: 'n' }],
};

it.each([
  ['(eq,vnfdId,v)', true],
  ['(neq,vnfdId,v)', false],
  ['(eq,isCancelPending,false)', true],
  ['(gt,level,2);(lte,level,3)', true],
  ['(gt,level,3)', false],
  ['(gt,level,ten)', false],
  ['(gt,startTime,2026-01-01T09:00:00Z)', true],
  ['(lt,startTime,2026-01-01T09:00:00Z)', false],
  ['(in,vnfdId,w,v)', true],
  ['(nin,vnfdId,w,u)', true],
  ['(cont,vnfdId,v,x)', true],
  ['(ncont,vnfdId,v)', false],
  ["(eq,text,'it''s (here), a/b@c~')", true],
  ['(eq,nested/a~1b/c~ad,x)', true],
  ['(eq,nested/~be,y)', true],
  ['(eq,nested/@key,@e)', true],
  ['(eq,list,blue)', true],
  ['(eq,items/name,n)', false],
  ['(neq,missing,x)', false],
  ['(nin,missing,x)', false],
  ['(eq,__proto__,x)', false],
  ['(eq,constructor/name,Object)', false],
])('filter %s → %s', (filter, expected) => {
  expect(matchesFilter(parsed(filter), object)).toBe(expected);
});

it.each(['', 'eq,a,b', '(eq,a)', '(eq,a,b,c)', '(like,a,b)', '(eq,a,b)x', '(eq,a,b);', "(eq,a,'b)", '(eq,,b)'])(
  'refuses the filter %j',
  (filter) => {
    expect(() => parsed(filter)).toThrow(/filter expression is invalid/);
  },
);

it.each([
  ['(eq,items/name,n)', true],
  ['(gt,items/size,1)', true],
  ['(gt,items/size,2)', false],
  ['(eq,items/tags/key,x)', true],
  ['(eq,items/missing,x)', false],
])('%s enters arrays where the API asks for it: %s', (filter, expected) => {
  const items = [
    { name: 'm', size: 0 },
    { name: 'n', size: 2, tags: [{ key: 'x' }] },
  ];
  expect(matchesFilter(parsed(filter), { items }, { entersArrays: true })).toBe(expected);
});

it.each([
  ["(eq,algorithm,'sha-256')", true],
  ['(in,algorithm,md5,sha-256)', true],
  ['(cont,algorithm,sha)', true],
  ['(neq,algorithm,sha-256)', false],
  ['(gt,at,2026-11-21T00:00:00Z)', true],
])('%s ignores the case of letters where the API asks for it: %s', (filter, expected) => {
  const item = { algorithm: 'SHA-256', at: '2026-11-22T00:00:00Z' };
  expect(matchesFilter(parsed(filter), item, { ignoresCase: true })).toBe(expected);
  if (!filter.includes('at,')) expect(matchesFilter(parsed(filter), item)).toBe(!expected);
});

it('a hostile filter is refused quickly', () => {
  expect(() => parsed(`(eq,a${",'".repeat(50_000)}`)).toThrow();
}, 1000);

const resource = { excludedByDefault: ['big'], mandatory: ['id'] };
const full = { id: '1', name: 'n', big: { a: 1, b: 2 }, _links: {} };
it.each([
  ['', { id: '1', name: 'n', _links: {} }],
  ['all_fields', full],
  ['exclude_default', { id: '1', name: 'n', _links: {} }],
  ['fields=big', { id: '1', big: { a: 1, b: 2 }, _links: {} }],
  ['fields=big/a', { id: '1', big: { a: 1 }, _links: {} }],
  ['fields=big&exclude_default', full],
  ['exclude_fields=name', { id: '1', big: { a: 1, b: 2 }, _links: {} }],
  ['exclude_fields=big/a,nothing', { id: '1', name: 'n', big: { b: 2 }, _links: {} }],
  ['exclude-fields=name', { id: '1', name: 'n', _links: {} }],
])('selectors %s', (query, expected) => {
  expect(createSelector(new URLSearchParams(query), resource)(full)).toEqual(expected);
});

it.each([
  'all_fields&fields=a',
  'all_fields&exclude_default',
  'exclude_fields=a&fields=b',
  'exclude_fields=a&exclude_default',
])('refuses the selectors %s', (query) => {
  expect(() => createSelector(new URLSearchParams(query), resource)).toThrow(/cannot be combined/);
});

it('pages follow each other, keep the rest of the query, and end', () => {
  const items = ['d', 'a', 'c', 'b', 'e'].map((id) => ({ id }));
  const seen: string[] = [];
  let query = new URLSearchParams('filter=(eq,a,b)');
  for (let pages = 0; pages < 10; pages++) {
    const page = pageOf(items, query, 2);
    seen.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) break;
    query = new URLSearchParams(page.next);
    expect(query.get('filter')).toBe('(eq,a,b)');
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
});
