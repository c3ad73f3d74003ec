import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { VnflowError } from '../../domain/problems.ts';
import type { VnfPackageWithUsage } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ApiAnswer, type ApiRequest, type Endpoint, withStream } from '../http/endpoint.ts';
import { vnfPackageOf } from './lookup.ts';
import type { PackageUploads } from './package-uploads.ts';

/**
 * PUT package_content: 202 once the package is onboarded. A refused archive leaves the package CREATED, with nothing
 * kept.
 */
export function uploadEndpoint(context: ApiContext, uploads: PackageUploads): Endpoint {
  return withStream(async (request, body): Promise<ApiAnswer> => {
    const target = await vnfPackageOf(context, request);
    checkCreated(target);
    checkZip(request, context.limits.packageBytes);
    const release = uploads.admit(target.tenant);
    const folder = await mkdtemp(path.join(tmpdir(), 'vnflow-upload-'));
    try {
      const file = path.join(folder, 'package.zip');
      await receive(body, file, context.limits.packageBytes);
      await uploads.onboard(target, file);
    } finally {
      release();
      await rm(folder, { recursive: true, force: true });
    }
    return { status: 202 };
  });
}

/** @throws VnflowError CONFLICT */
export function checkCreated({ id, onboardingState }: VnfPackageWithUsage): void {
  if (onboardingState === 'CREATED') return;
  throw new VnflowError('CONFLICT', {
    detail: `VNF package ${id} is ${onboardingState}; content can be uploaded in CREATED only. Create another package.`,
  });
}

function checkZip({ headers }: ApiRequest, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw createTooLargeProblem(limitBytes);
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType === undefined || mediaType === 'application/zip') return;
  throw new VnflowError('UNSUPPORTED_MEDIA_TYPE', {
    detail: `Content-Type ${mediaType.slice(0, 60)} is not supported here; send the CSAR as application/zip.`,
  });
}

/**
 * Writes the body to a file. The request is not destroyed when it is refused: the client must be able to read why.
 * @throws VnflowError TOO_LARGE; BAD_REQUEST for no content (a client that repeats a request after 401 has none left)
 */
async function receive(body: Readable, path: string, limitBytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  let received = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      received += (chunk as Buffer).length;
      if (received > limitBytes) throw createTooLargeProblem(limitBytes);
      await file.writeFile(chunk as Buffer);
    }
  } finally {
    await file.close();
  }
  if (received === 0) throw new VnflowError('BAD_REQUEST', { detail: 'The request body is empty: send the CSAR.' });
}

function createTooLargeProblem(limitBytes: number): VnflowError {
  return new VnflowError('TOO_LARGE', { detail: `The package is larger than the limit of ${limitBytes} bytes.` });
}
