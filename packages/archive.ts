import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { VnflowError } from '../domain/problems.ts';
import { BoundedReader, type ByteSource } from './byte-source.ts';
import type { CsarLimits } from './csar-limits.ts';
import { createCsarProblem } from './csar-problem.ts';
import { checkEntryName } from './entry-name.ts';

/**
 * One file of the archive, as the directory of the archive declares it. Its sizes and CRC are unproved until the
 * content was read.
 */
export interface ArchiveEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  /** 0 stored, 8 deflated. */
  readonly compressionMethod: number;
  /** Positions in the archive: of the header, of the first byte of the content, and of the byte after the content. */
  readonly headerStart: number;
  readonly dataStart: number;
  readonly dataEnd: number;
  readonly uncompressedSize: number;
  readonly crc32: number;
}

const FILE_TYPE = 0o170000;
const HARMLESS_FILE_TYPES: ReadonlySet<number> = new Set([0, 0o100000, 0o040000]);

/**
 * Reads the directory of a zip archive, and refuses archives with features that an honest CSAR never has.
 * @returns the entries in the archive's order, folders included
 * @throws VnflowError CSAR_INVALID
 */
export async function listEntries(source: ByteSource, limits: CsarLimits): Promise<readonly ArchiveEntry[]> {
  if (source.size > limits.archiveBytes) {
    throw createCsarProblem(`The package has ${source.size} bytes, more than ${limits.archiveBytes}; make it smaller.`);
  }
  try {
    return await readDirectory(source, limits);
  } catch (error) {
    throw error instanceof VnflowError ? error : makeArchiveError(error);
  }
}

async function readDirectory(source: ByteSource, limits: CsarLimits): Promise<readonly ArchiveEntry[]> {
  const zip = await fromRandomAccessReaderPromise(new BoundedReader(source), source.size, {
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
  });
  if (zip.entryCount > limits.entries) {
    throw createCsarProblem(`The package has ${zip.entryCount} entries, more than ${limits.entries}; leave files out.`);
  }
  const entries: ArchiveEntry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(await checkedEntry(zip, entry));
  refuseDuplicates(entries);
  refuseOverlaps(entries);
  return entries;
}

async function checkedEntry(zip: ZipFile, entry: Entry): Promise<ArchiveEntry> {
  const path = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  checkEntryName(path);
  const isDirectory = path.endsWith('/');
  if (!HARMLESS_FILE_TYPES.has((entry.externalFileAttributes >>> 16) & FILE_TYPE)) {
    throw createCsarProblem(`The entry ${path} is a symbolic link or a device; put the file itself into the package.`);
  }
  if (entry.isEncrypted()) throw createCsarProblem(`The entry ${path} is encrypted; pack it without a password.`);
  if (!entry.canDecodeFileData()) {
    throw createCsarProblem(
      `The entry ${path} has compression method ${entry.compressionMethod}; use deflate or store.`,
    );
  }
  const header = await zip.readLocalFileHeaderPromise(entry);
  if (!header.fileName.equals(entry.fileNameRaw)) {
    throw createCsarProblem(`The entry ${path} has another name in its own header; make the archive anew.`);
  }
  return {
    path,
    isDirectory,
    compressionMethod: entry.compressionMethod,
    headerStart: entry.relativeOffsetOfLocalHeader,
    dataStart: header.fileDataStart,
    dataEnd: header.fileDataStart + entry.compressedSize,
    uncompressedSize: entry.uncompressedSize,
    crc32: entry.crc32,
  };
}

/**
 * Refuses a name that occurs twice, and a file that is also a folder: two programs could read two different packages.
 */
function refuseDuplicates(entries: readonly ArchiveEntry[]): void {
  const files = new Set<string>();
  for (const { path, isDirectory } of entries) {
    if (isDirectory) continue;
    if (files.has(path)) throw createCsarProblem(`The entry ${path} is in the archive twice; keep one.`);
    files.add(path);
  }
  const checked = new Set<string>();
  for (const { path } of entries) {
    // The deepest folder comes first: when it was checked, so were the folders above it.
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (checked.has(folder)) break;
      if (files.has(folder))
        throw createCsarProblem(`The entry ${folder} is both a file and the folder of ${path}; rename one.`);
      checked.add(folder);
    }
  }
}

/**
 * Refuses entries that share bytes: with them a small archive unpacks to petabytes (D. Fifield, "A better zip bomb").
 */
function refuseOverlaps(entries: readonly ArchiveEntry[]): void {
  const ordered = entries.toSorted((one, other) => one.headerStart - other.headerStart);
  let previous: ArchiveEntry | undefined;
  for (const entry of ordered) {
    if (previous && entry.headerStart < previous.dataEnd) {
      throw createCsarProblem(
        `The entries ${previous.path} and ${entry.path} share bytes (a zip bomb); make the archive anew.`,
      );
    }
    previous = entry;
  }
}

function makeArchiveError(error: unknown): VnflowError {
  const reason = error instanceof Error ? error.message : String(error);
  if (/end of central directory record signature not found/i.test(reason)) {
    return createCsarProblem(
      'The package is not a zip archive, or its end is missing; upload the whole CSAR as a zip file.',
      error,
    );
  }
  if (/encrypt/i.test(reason))
    return createCsarProblem('The package has an encrypted entry; pack it without a password.', error);
  return createCsarProblem(`The zip archive is damaged: ${reason}; make it and upload it again.`, error);
}
