import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';

/** Searches files for secrets; a file that only grows is read once. */
export interface SecretScan {
  /** @returns a sentence for each secret that a file has in clear text. It does not repeat the secret */
  scan(files: readonly string[], secrets: readonly string[]): string[];
}

/** What no log and no database of Temporal may hold, whatever the run was. */
const ALWAYS = ['devstack', '-----BEGIN RSA PRIVATE KEY', '-----BEGIN EC PRIVATE KEY', '-----BEGIN PRIVATE KEY'];
/** `vnflow up` shows people the login of the simulated cloud. */
const SIMULATED_LOGIN = 'simulated; nfv_user / ';
const PIECE = 8 * 1024 * 1024;
/** As long as the longest secret: one may lie across the border of two pieces. */
const OVERLAP = 128;

export function createSecretScan(): SecretScan {
  const read = new Map<string, number>();
  const told = new Set<string>();
  return {
    scan: (files, secrets) =>
      files.flatMap((file) => {
        const isLog = file.endsWith('.log');
        const wanted = [...ALWAYS, ...secrets];
        const from = isLog ? Math.max(0, (read.get(file) ?? 0) - OVERLAP) : 0;
        const found = new Set<number>();
        read.set(
          file,
          eachPiece(file, from, (piece) => {
            for (const [index, secret] of wanted.entries())
              if (occurrences(piece, secret) > occurrences(piece, `${SIMULATED_LOGIN}${secret}`)) found.add(index);
          }),
        );
        return [...found].flatMap((index) => {
          const text = `${path.basename(file)} has ${index < ALWAYS.length ? `"${ALWAYS[index]}"` : 'a token or key of a cluster'} in clear text`;
          if (told.has(text)) return [];
          told.add(text);
          return [text];
        });
      }),
  };
}

function occurrences(piece: Buffer, text: string): number {
  let count = 0;
  for (let at = piece.indexOf(text); at >= 0; at = piece.indexOf(text, at + 1)) count += 1;
  return count;
}

/** @returns how many bytes the file has */
function eachPiece(file: string, from: number, use: (piece: Buffer) => void): number {
  let size: number;
  try {
    size = statSync(file).size;
  } catch {
    return 0; // a log that nothing was written to
  }
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(PIECE);
    for (let at = from; at < size; at += PIECE - OVERLAP) {
      const length = readSync(handle, buffer, 0, PIECE, at);
      use(buffer.subarray(0, length));
      if (length < PIECE) break;
    }
  } finally {
    closeSync(handle);
  }
  return size;
}
