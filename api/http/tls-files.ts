import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

/** Files in PEM: the certificate of a server with its intermediate ones, and its private key. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: 'TLSv1.2';
}

const LOOK_EVERY_MS = 10_000;

/**
 * Reads a certificate and its key.
 * @throws Error with a sentence when a file cannot be read, or the two do not belong together
 */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles): Promise<TlsOptions> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
  const options: TlsOptions = { cert, key, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new Error(`TLS cannot be served with ${certFile} and ${keyFile}: ${reasonOf(error)}.`, { cause: error });
  }
  return options;
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`TLS: ${file} cannot be read (${reasonOf(error)}).`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/**
 * Gives a server the certificate that its files have now, whenever they change. The files are compared by content,
 * because Kubernetes and certbot exchange links. While they cannot be used, the server keeps the certificate it has.
 * @param present what the server has
 * @returns ends the watch
 */
export function followTlsFiles(
  server: Pick<Server, 'setSecureContext'>,
  {
    files,
    present,
    log,
    everyMs = LOOK_EVERY_MS,
  }: {
    readonly files: TlsFiles;
    readonly present: TlsOptions;
    readonly log: Logger;
    readonly everyMs?: number | undefined;
  },
): () => void {
  let served = present;
  let complained = '';
  const look = async () => {
    const found = await readTlsFiles(files);
    complained = '';
    if (found.cert === served.cert && found.key === served.key) return;
    server.setSecureContext(found);
    served = found;
    log.info({ certFile: files.certFile }, 'the API serves its new certificate');
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== complained) log.error({ reason }, 'the new certificate cannot be used; the former one is served');
      complained = reason;
    });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
