import { isAscii, isUtf8 } from 'node:buffer';
import path from 'node:path';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.py': 'text/x-python',
  '.sh': 'text/x-sh',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

const TEXT = /^text\/|yaml$|xml$/;

/**
 * Guesses the media type by the file's name. Never a type that a browser would run. Text in UTF-8 that is more than
 * ASCII names its charset: without one the openstack client takes text for ISO-8859-1 and writes other bytes than it
 * got. Of ASCII no charset is named: Tacker's functional tests compare the header with `text/x-sh` exactly.
 */
export function mediaTypeOf(file: string, content: Uint8Array): string {
  const type = BY_EXTENSION[path.posix.extname(file).toLowerCase()] ?? 'application/octet-stream';
  const needsCharset = TEXT.test(type) && isUtf8(content) && !isAscii(content);
  return needsCharset ? `${type}; charset=utf-8` : type;
}
