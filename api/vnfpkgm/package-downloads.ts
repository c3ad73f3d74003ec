import { VnflowError } from '../../domain/problems.ts';
import { readDefinitionFiles } from '../../domain/vnfd/definition-files.ts';
import { vnfdTexts } from '../../planning/package-of-instance.ts';
import { readVnfPackageBytes, vnfPackageContentLength } from '../../store/vnf-package-content.ts';
import { readVnfPackageFile, readVnfPackageFiles } from '../../store/vnf-packages.ts';
import type { ApiContext } from '../dependencies.ts';
import { type ByteRange, rangeAnswer } from '../http/byte-range.ts';
import { type ApiAnswer, type Endpoint, withoutBody } from '../http/endpoint.ts';
import { onboardedPackageOf } from './lookup.ts';
import { mediaTypeOf } from './media-type.ts';
import { zipOf } from './zip-of.ts';

/** GET package_content: the archive as it was uploaded, or one range of it. */
export function contentEndpoint(context: ApiContext): Endpoint {
  return withoutBody(async (request) => {
    const { id } = await onboardedPackageOf(context, request);
    const length = await vnfPackageContentLength(context.db, id);
    const read = (range: ByteRange) => readVnfPackageBytes(context.db, id, range);
    return rangeAnswer({ length, read }, request.headers.range, 'application/zip');
  });
}

const VNFD_MEDIA_TYPES = ['text/plain', 'application/zip'];

/**
 * GET vnfd: the definitions as a zip, or as text when there is one file only. Tokens of Accept are compared exactly, as
 * in Tacker.
 */
export function vnfdEndpoint(context: ApiContext): Endpoint {
  return withoutBody(async (request): Promise<ApiAnswer> => {
    const accepted = (request.headers.accept ?? '').split(',');
    if (!accepted.some((token) => VNFD_MEDIA_TYPES.includes(token))) {
      throw new VnflowError('VNFD_NOT_ACCEPTABLE', { detail: 'Accept: must be text/plain, application/zip or both.' });
    }
    const { id } = await onboardedPackageOf(context, request);
    const files = await readVnfPackageFiles(context.db, id);
    const ofVnfd = new Set(readDefinitionFiles(vnfdTexts(files)).map(({ path }) => path));
    const definitions = [...files].filter(([path]) => ofVnfd.has(path));
    const [single, ...more] = definitions;
    if (single && more.length === 0 && accepted.includes('text/plain')) {
      return { status: 200, headers: { 'Content-Type': 'text/plain' }, bytes: single[1] };
    }
    if (!accepted.includes('application/zip')) {
      throw new VnflowError('BAD_REQUEST', {
        detail: `Accept: the VNFD has ${definitions.length} files; accept application/zip.`,
      });
    }
    const metadata = [...files].filter(([path]) => path === 'TOSCA-Metadata/TOSCA.meta');
    return {
      status: 200,
      headers: { 'Content-Type': 'application/zip' },
      bytes: await zipOf([...metadata, ...definitions]),
    };
  });
}

/** GET artifacts/PATH: a file that the package lists as an additional artifact. */
export function artifactEndpoint(context: ApiContext): Endpoint {
  return withoutBody(async (request) => {
    const { id, additionalArtifacts } = await onboardedPackageOf(context, request);
    const { path = '' } = request.params;
    const listed = additionalArtifacts?.some(({ artifactPath }) => artifactPath === path) ?? false;
    const content = listed ? await readVnfPackageFile(context.db, id, path) : undefined;
    if (!content) {
      throw new VnflowError('NOT_FOUND', {
        detail: `VNF package ${id} has no artifact ${path.slice(0, 200)}; additionalArtifacts lists them.`,
      });
    }
    const read = async function* ({ first, last }: ByteRange) {
      yield content.subarray(first, last + 1);
    };
    return rangeAnswer({ length: content.length, read }, request.headers.range, mediaTypeOf(path, content));
  });
}
