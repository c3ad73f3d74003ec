import { z } from 'zod';

/** TOSCA scalar-unit.size: decimal and binary units, as TOSCA 1.2 §3.3.6.4 lists them. */
const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  kib: 1024,
  mb: 1e6,
  mib: 1024 ** 2,
  gb: 1e9,
  gib: 1024 ** 3,
  tb: 1e12,
  tib: 1024 ** 4,
};

function bytesOf(written: string): number | undefined {
  const [, amount = '', unit = ''] = written.match(/^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*$/i) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

function sizeSchema(read: (written: string) => number | undefined) {
  return z.union([z.number(), z.string()]).transform((written, context) => {
    const bytes = typeof written === 'number' ? written : read(written);
    if (bytes !== undefined) return bytes;
    context.addIssue({ code: 'custom', message: 'must be a size such as "2 GB"' });
    return z.NEVER;
  });
}

/** A size in bytes. A number without a unit counts bytes. */
export const sizeInBytes = sizeSchema(bytesOf);

/**
 * A size in bytes whose decimal units count as binary ones. OpenStack counts memory in MiB and disks in GiB, and
 * authors of packages mean these when they write "4 GB". The result is never too small.
 */
export const binarySizeInBytes = sizeSchema((written) => bytesOf(written.replace(/([kmgt])b/i, '$1iB')));
