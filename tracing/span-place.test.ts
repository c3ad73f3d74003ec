import { expect, it } from 'vitest';
import { formatTraceparent, operationSpanIds, parseTraceparent } from './span-place.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it('reads and writes the place of a span', () => {
  const place = { traceId, spanId, isSampled: true };
  expect(formatTraceparent(place)).toBe(`00-${traceId}-${spanId}-01`);
  expect(parseTraceparent(formatTraceparent(place))).toEqual(place);
  expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ ...place, isSampled: false });
  expect(parseTraceparent(`cc-${traceId}-${spanId}-03-what-comes-later`), 'a later version').toEqual(place);
});

it.each([
  undefined,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01\n`,
  `00-${traceId}-${spanId}`,
])('takes no place from %j', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it('knows the ids of the span of an operation from the id of the operation', () => {
  expect(operationSpanIds('6D1F0C52-5a0e-4a5b-9a53-2f6f5a7c1e10')).toEqual({
    traceId: '6d1f0c525a0e4a5b9a532f6f5a7c1e10',
    spanId: '9a532f6f5a7c1e10',
  });
});
