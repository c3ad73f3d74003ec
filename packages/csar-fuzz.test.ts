import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VnflowError } from '../domain/problems.ts';
import { handmadeZip } from '../test/testing/packages/handmade-zip.ts';
import { smallPackage } from '../test/testing/packages/small-package.ts';
import { readCsar } from './csar.ts';

const STORED = handmadeZip(smallPackage());
const DEFLATED = handmadeZip(smallPackage().map((entry) => ({ ...entry, deflate: true })));

/**
 * Positions counted from the end, so that many of them hit the directory of the archive, where wrong bytes do most
 * harm.
 */
const change = fc.record({
  fromEnd: fc.oneof(fc.nat(500), fc.nat(STORED.length - 1)),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});

async function outcome(archive: Buffer): Promise<string> {
  try {
    await readCsar(archive);
    return 'accepted';
  } catch (error) {
    return error instanceof VnflowError ? error.code : String(error);
  }
}

test.each([
  ['stored', STORED],
  ['deflated', DEFLATED],
])('bytes changed at random in a %s package: accepted or CSAR_INVALID, nothing else', async (_, intact) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const archive = Buffer.from(intact);
      for (const { fromEnd, bytes } of changes) {
        archive.set(bytes.subarray(0, Math.min(fromEnd, archive.length)), Math.max(0, archive.length - fromEnd));
      }
      expect(['accepted', 'CSAR_INVALID']).toContain(await outcome(archive));
    }),
    { numRuns: 600 },
  );
});

test('a package cut anywhere is CSAR_INVALID', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(DEFLATED.length - 1), fc.nat(DEFLATED.length - 1), async (start, length) => {
      const cut = DEFLATED.subarray(start, start + length);
      if (cut.length < DEFLATED.length) expect(await outcome(cut)).toBe('CSAR_INVALID');
    }),
    { numRuns: 300 },
  );
});

test('any text for TOSCA.meta, manifest and VNFD: accepted or CSAR_INVALID', async () => {
  const path = fc.constantFrom('TOSCA-Metadata/TOSCA.meta', 'small.mf', 'Definitions/vnfd.yaml', 'BaseHOT/a.yaml');
  const words = [
    'Source: ',
    'Hash: ',
    'Algorithm: ',
    'SHA-256',
    '\n',
    '\n\n',
    'metadata:',
    '&a ',
    '*a',
    '- ',
    '{',
    '? ',
    '!!x ',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(path, text, async (name, parts) => {
      const archive = handmadeZip(smallPackage({ [name]: parts.join('') }));
      expect(['accepted', 'CSAR_INVALID']).toContain(await outcome(archive));
    }),
    { numRuns: 600 },
  );
});
