import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runCommand } from '../run-command.mjs';
import { requireDigest } from './digest.mjs';
import { PINS, VERSION } from './pins.mjs';

const CONNECT_MS = 5_000;
const DOWNLOAD_MS = 300_000;
const LARGEST_ARCHIVE = 300_000_000;
const ARCH = { x64: 'amd64', arm64: 'arm64' };

/**
 * The download that Temporal's SDKs make for their test servers: temporal.download tells where the archive is.
 * @param {{ into: string, platform: string, arch: string, origin?: string }} where `into`: an empty directory
 * @returns {Promise<string>} path of the binary
 * @throws {Error} when the host cannot be reached or what it sends is not the pinned release
 */
export async function fetchFromSdkDownload({ into, platform, arch, origin = 'https://temporal.download' }) {
  const pin = PINS[`${platform}-${arch}`];
  if (pin === undefined) throw new Error(`there is no release for ${platform}-${arch}`);
  const query = new URLSearchParams({ arch: ARCH[arch], platform, format: 'tar.gz' });
  const { archiveUrl, fileToExtract } = await archiveInfo(`${origin}/cli/v${VERSION}?${query}`);
  if (new URL(archiveUrl).protocol !== new URL(origin).protocol) throw new Error(`${archiveUrl} is not https`);
  const archive = path.join(into, 'temporal.tar.gz');
  await download(archiveUrl, archive);
  await runCommand('tar', ['-xzf', archive, '-C', into, '--', path.basename(fileToExtract)]);
  const binary = path.join(into, path.basename(fileToExtract));
  await requireDigest(binary, pin.binary, `the binary from ${new URL(archiveUrl).host}`);
  return binary;
}

/** @param {string} url @returns {Promise<{ archiveUrl: string, fileToExtract: string }>} */
async function archiveInfo(url) {
  const host = new URL(url).host;
  const response = await fetch(url, { signal: AbortSignal.timeout(CONNECT_MS) }).catch((error) => {
    throw new Error(`${host} cannot be reached (${reason(error)})`);
  });
  if (!response.ok) throw new Error(`${host} answered ${response.status}`);
  const info = await response.json();
  if (typeof info?.archiveUrl !== 'string' || typeof info?.fileToExtract !== 'string') {
    throw new Error(`${host} gave an answer that names no archive`);
  }
  return info;
}

/** @param {string} url @param {string} file */
async function download(url, file) {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) }).catch((error) => {
    throw new Error(`${new URL(url).host} cannot be reached (${reason(error)})`);
  });
  if (!response.ok || response.body === null) throw new Error(`${new URL(url).host} answered ${response.status}`);
  let bytes = 0;
  const limit = new Transform({
    transform(chunk, _encoding, done) {
      bytes += chunk.length;
      done(bytes > LARGEST_ARCHIVE ? new Error('the archive is too large') : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), limit, createWriteStream(file));
}

/** @param {any} error */
function reason(error) {
  return error?.name === 'TimeoutError' ? 'no answer in time' : (error?.cause?.code ?? error?.message ?? String(error));
}
