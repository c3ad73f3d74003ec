import { isUtf8 } from 'node:buffer';
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
 * A guess by the file's name. Never a type that a browser would run. The charset is told where it holds: without one the
 * openstack client takes text for ISO-8859-1 and writes other bytes than it got.
 */
export function mediaTypeOf(file: string, content: Uint8Array): string {
  const type = BY_EXTENSION[path.posix.extname(file).toLowerCase()] ?? 'application/octet-stream';
  return TEXT.test(type) && isUtf8(content) ? `${type}; charset=utf-8` : type;
}
