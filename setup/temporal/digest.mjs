import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * @param {string} file
 * @returns {Promise<string>} sha256 in hex
 */
async function sha256(file) {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file), digest);
  return digest.digest('hex');
}

/**
 * @param {string} file
 * @param {string} expected sha256 in hex
 * @param {string} name of the file in the message
 * @throws {Error} when the file has another digest
 */
export async function requireDigest(file, expected, name) {
  const seen = await sha256(file);
  if (seen !== expected) {
    throw new Error(`${name} was refused: its sha256 is ${seen}, not the pinned ${expected}`);
  }
}
