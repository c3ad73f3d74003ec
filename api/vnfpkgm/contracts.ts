import { z } from 'zod';
import { accepts, type Contracts, PagedListQuery, removes, shows } from '../openapi/contract.ts';
import { listItem } from '../openapi/list-item.ts';
import { ProblemDetails } from '../openapi/problem.ts';
import {
  CreateVnfPkgInfoRequest,
  UploadVnfPackageFromUriRequest,
  VnfPkgInfoModifications,
} from './package-requests.ts';
import { vnfPackageSelectors } from './vnf-package-view.ts';

const freeForm = z.record(z.string(), z.unknown());
const Checksum = z.strictObject({ algorithm: z.string(), hash: z.string() });
/** A relative link, as in Tacker. */
const Link = z.strictObject({ href: z.string() });

/** VnfPkgInfo as Tacker's package API has it; what onboarding finds out is there once it is ONBOARDED. */
export const VnfPkgInfo = z
  .strictObject({
    id: z.uuid(),
    onboardingState: z.enum(['CREATED', 'UPLOADING', 'PROCESSING', 'ONBOARDED']),
    operationalState: z.enum(['ENABLED', 'DISABLED']),
    usageState: z.enum(['IN_USE', 'NOT_IN_USE']),
    userDefinedData: freeForm,
    vnfdId: z.string().optional(),
    vnfProvider: z.string().optional(),
    vnfProductName: z.string().optional(),
    vnfSoftwareVersion: z.string().optional(),
    vnfdVersion: z.string().optional(),
    checksum: Checksum.optional(),
    softwareImages: z
      .array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          version: z.string(),
          provider: z.string(),
          checksum: Checksum.optional(),
          containerFormat: z.string(),
          diskFormat: z.string().optional(),
          createdAt: z.string(),
          minDisk: z.number(),
          minRam: z.number(),
          size: z.number(),
          userMetadata: freeForm,
          imagePath: z.string(),
        }),
      )
      .optional(),
    additionalArtifacts: z
      .array(z.strictObject({ artifactPath: z.string(), checksum: Checksum, metadata: freeForm }))
      .optional(),
    onboardingFailureDetails: ProblemDetails.optional(),
    _links: z.strictObject({ self: Link, packageContent: Link }),
  })
  .meta({ id: 'VnfPkgInfo' });

/** Members that a package has only when it is ONBOARDED cannot be mandatory in a list. */
const ALWAYS = ['id', 'onboardingState', 'operationalState', 'usageState'];

const PACKAGE = '/vnf_packages/{id}';

export const PACKAGE_CONTRACTS: Contracts = {
  '/vnf_packages': {
    GET: shows(
      'List VNF packages',
      z.array(listItem(VnfPkgInfo, { ...vnfPackageSelectors, mandatory: ALWAYS })),
      PagedListQuery,
    ),
    POST: {
      summary: 'Create a VNF package',
      body: CreateVnfPkgInfoRequest,
      answers: { 201: VnfPkgInfo },
      hasLocation: true,
    },
  },
  [PACKAGE]: {
    GET: shows('Show a VNF package', VnfPkgInfo),
    PATCH: {
      summary: 'Enable, disable, label',
      body: VnfPkgInfoModifications,
      answers: {
        200: z
          .strictObject({
            operationalState: VnfPkgInfo.shape.operationalState.optional(),
            userDefinedData: freeForm.optional(),
          })
          .meta({ id: 'VnfPkgInfoModifications' }),
      },
    },
    DELETE: removes('Delete a VNF package'),
  },
  [`${PACKAGE}/package_content`]: {
    GET: {
      summary: 'Download the CSAR, or one range of it',
      answers: { 200: { file: ['application/zip'] }, 206: { file: ['application/zip'] } },
    },
    PUT: { ...accepts('Upload the CSAR'), upload: 'application/zip' },
  },
  [`${PACKAGE}/package_content/upload_from_uri`]: {
    POST: accepts('Fetch the CSAR from a URI', UploadVnfPackageFromUriRequest),
  },
  [`${PACKAGE}/vnfd`]: {
    GET: { summary: 'Download the VNFD', answers: { 200: { file: ['text/plain', 'application/zip'] } } },
  },
  [`${PACKAGE}/artifacts/{path}`]: {
    GET: {
      summary: 'Download an artifact, or one range of it',
      answers: { 200: { file: ['*/*'] }, 206: { file: ['*/*'] } },
    },
  },
};
