import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A zip archive of files in memory. Equal files give equal bytes. */
export async function zipOf(files: readonly (readonly [path: string, content: Buffer])[]): Promise<Buffer> {
  const zip = new ZipFile();
  const options = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };
  for (const [path, content] of files) zip.addBuffer(content, path, options);
  zip.end();
  return buffer(zip.outputStream);
}
