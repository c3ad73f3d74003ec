import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { VnflowError } from '../domain/problems.ts';
import { readCsar } from './csar.ts';
import { readToscaMeta, TOSCA_META } from './csar-metadata.ts';
import { createCsarProblem } from './csar-problem.ts';
import { decodeText } from './csar-text.ts';
import { type ManifestHash, writeManifest } from './manifest.ts';
import { type PackageFile, packageFiles } from './package-files.ts';

export interface PackedCsar {
  /** Number of files in the archive. */
  readonly entries: number;
  /** Size of the archive in bytes. */
  readonly bytes: number;
  /** Hash of the archive, as hexadecimal text. */
  readonly sha256: string;
}

/**
 * Options that give identical bytes on every machine. DOS times have no zone and yazl writes local times; no zone
 * skipped noon of that day. Nothing is compressed, because the output of zlib differs between processors and releases.
 */
const FIXED = { mtime: new Date(1980, 0, 1, 12), forceDosTimestamp: true, compress: false };
/**
 * Larger files are streamed. The header of a smaller file contains its size, which programs need that read an archive
 * as a stream.
 */
const BUFFERED_BYTES = 1024 ** 2;

/**
 * Makes a CSAR from a directory: TOSCA-Metadata/TOSCA.meta names the manifest, which gets the SHA-256 of every other
 * file. Equal sources (contents, names, executable or not) give identical bytes on every machine at any time.
 * @param directory source of the package
 * @param outFile the archive; an existing one is replaced only after the new one was read and checked
 * @throws VnflowError CSAR_INVALID that names the file and says what to do
 */
export async function packCsar(directory: string, outFile: string): Promise<PackedCsar> {
  try {
    return await pack(directory, outFile);
  } catch (error) {
    if (error instanceof VnflowError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw createCsarProblem(`The package ${directory} cannot be packed as ${outFile}: ${reason}.`, error);
  }
}

async function pack(directory: string, outFile: string): Promise<PackedCsar> {
  const files = await packageFiles(directory, outFile);
  const manifest = await manifestOf(files, directory);
  const unproven = `${outFile}.part`;
  await mkdir(dirname(outFile), { recursive: true });
  try {
    const { bytes, sha256 } = await writeArchive(files, manifest, unproven);
    await readCsar(unproven);
    await rename(unproven, outFile);
    return { entries: files.length, bytes, sha256 };
  } finally {
    await rm(unproven, { force: true });
  }
}

interface Manifest {
  readonly path: string;
  readonly text: string;
}

async function manifestOf(files: readonly PackageFile[], directory: string): Promise<Manifest> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const metaFile = byPath.get(TOSCA_META);
  if (metaFile === undefined) throw createCsarProblem(`The package source ${directory} has no ${TOSCA_META}; add it.`);
  const meta = readToscaMeta(await readText(metaFile), new Set(byPath.keys()));
  const source = byPath.get(meta.manifest ?? '');
  if (source === undefined) {
    throw createCsarProblem(`${TOSCA_META} names no manifest; add a line such as "ETSI-Entry-Manifest: package.mf".`);
  }
  const hashes: ManifestHash[] = [];
  for (const file of files) {
    if (file !== source) hashes.push({ path: file.path, sha256: await sha256Of(file) });
  }
  return { path: source.path, text: writeManifest(source.path, await readText(source), hashes) };
}

async function readText({ path, realPath }: PackageFile): Promise<string> {
  return decodeText(path, await readFile(realPath));
}

async function sha256Of({ realPath }: PackageFile): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(realPath), hash);
  return hash.digest('hex');
}

async function writeArchive(files: readonly PackageFile[], manifest: Manifest, outFile: string) {
  const zip = new ZipFile();
  const hash = createHash('sha256');
  const output = createWriteStream(outFile);
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  zip.outputStream.on('data', (piece: Buffer) => hash.update(piece));
  zip.outputStream.pipe(output);
  await Promise.all([finished(output), addFiles(zip, files, manifest).catch(fail)]);
  return { bytes: output.bytesWritten, sha256: hash.digest('hex') };
}

async function addFiles(zip: ZipFile, files: readonly PackageFile[], manifest: Manifest): Promise<void> {
  for (const { path, realPath, executable, size } of files) {
    const options = { ...FIXED, mode: executable ? 0o100755 : 0o100644 };
    if (path === manifest.path) zip.addBuffer(Buffer.from(manifest.text), path, options);
    else if (size > BUFFERED_BYTES) zip.addFile(realPath, path, options);
    else zip.addBuffer(await readFile(realPath), path, options);
  }
  zip.end();
}
