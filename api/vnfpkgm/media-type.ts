import path from 'node:path';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.sh': 'text/x-sh',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

/** A guess by the file's name. Never a type that a browser would run. */
export function mediaTypeOf(file: string): string {
  return BY_EXTENSION[path.posix.extname(file).toLowerCase()] ?? 'application/octet-stream';
}
