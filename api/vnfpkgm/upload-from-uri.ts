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
    await checkedRemoteUrl(body.addressInformation, context.packageHosts);
    const target = await vnfPackageOf(context, request);
    checkCreated(target);
    if (!(await uploads.begin(target, body))) throw createConcurrentUploadProblem(target.id);
    return { status: 202 };
  });
}
