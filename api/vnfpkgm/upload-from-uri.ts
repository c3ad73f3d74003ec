import { VnflowError } from '../../domain/problems.ts';
import { checkedRemoteUrl } from '../../packages/remote-address.ts';
import type { ApiContext } from '../dependencies.ts';
import { type Endpoint, withBody } from '../http/endpoint.ts';
import { createConcurrentUploadProblem, vnfPackageOf } from './lookup.ts';
import { UploadVnfPackageFromUriRequest } from './package-requests.ts';
import type { PackageUploads } from './package-uploads.ts';
import { checkCreated } from './upload-package-content.ts';

/**
 * POST package_content/upload_from_uri: 202 and UPLOADING; then PROCESSING and ONBOARDED, or CREATED again with
 * `onboardingFailureDetails`.
 */
export function uploadFromUriEndpoint(context: ApiContext, uploads: PackageUploads): Endpoint {
  return withBody(UploadVnfPackageFromUriRequest, async (request, body) => {
    await checkAddress(body.addressInformation, context);
    const target = await vnfPackageOf(context, request);
    checkCreated(target);
    if (!(await uploads.begin(target, body))) throw createConcurrentUploadProblem(target.id);
    return { status: 202 };
  });
}

/** @throws VnflowError BAD_REQUEST naming the member */
async function checkAddress(uri: string, { packageHosts }: ApiContext): Promise<void> {
  try {
    await checkedRemoteUrl(uri, packageHosts);
  } catch (error) {
    if (!(error instanceof VnflowError)) throw error;
    const login = /user name or password/.test(error.message)
      ? ' Send userName and password as members of the request.'
      : '';
    throw new VnflowError('BAD_REQUEST', { detail: `addressInformation: ${error.message}${login}`, cause: error });
  }
}
