import { z } from 'zod';
import { SOL_VERSION } from '../http/version-header.ts';
import { V1_CONTRACTS } from '../v1/contracts.ts';
import { V2_CONTRACTS } from '../v2/contracts.ts';
import { VIM_CONTRACTS } from '../vims/contracts.ts';
import { ApiVersions } from '../vnflcm/answer-parts.ts';
import { Health, VNFLOW_CONTRACTS } from '../vnflow/contracts.ts';
import { PACKAGE_CONTRACTS } from '../vnfpkgm/contracts.ts';
import { type Face, shows } from './contract.ts';
import { ProblemDetails, TackerError } from './problem.ts';

const problems = { problem: ProblemDetails, problemType: 'application/problem+json' };

const VersionList = z
  .strictObject({
    versions: z.array(
      z.strictObject({
        id: z.string(),
        status: z.literal('CURRENT'),
        links: z.array(z.strictObject({ rel: z.literal('self'), href: z.url() })),
      }),
    ),
  })
  .meta({ id: 'VersionList' });

const { '/api_versions': v2Versions, ...v2Resources } = V2_CONTRACTS;

/** Everything that the API serves. The OpenAPI document is made of it. */
export const FACES: readonly Face[] = [
  {
    prefix: '',
    contracts: {
      '/': { GET: shows('What is served here', VersionList) },
      '/livez': { GET: shows('Does the process run?', z.strictObject({ status: z.literal('alive') })) },
      '/readyz': {
        GET: { summary: 'Is everything there that operations need?', answers: { 200: Health, 503: Health } },
      },
    },
    open: ['GET /livez', 'GET /readyz'],
    ...problems,
  },
  {
    prefix: '/vnflcm',
    contracts: { '/api_versions': { GET: shows('The versions of vnflcm', ApiVersions) } },
    ...problems,
  },
  {
    prefix: '/vnflcm/v2',
    contracts: v2Resources,
    headers: z.object({ Version: z.string().meta({ example: SOL_VERSION }) }),
    ...problems,
  },
  { prefix: '/vnflcm/v2', contracts: { '/api_versions': v2Versions ?? {} }, ...problems },
  { prefix: '/vnflcm/v1', contracts: V1_CONTRACTS, ...problems },
  { prefix: '/vnfpkgm/v1', contracts: PACKAGE_CONTRACTS, ...problems },
  { prefix: '/v1.0', contracts: VIM_CONTRACTS, problem: TackerError, problemType: 'application/json' },
  { prefix: '/vnflow/v1', contracts: VNFLOW_CONTRACTS, open: ['GET /health'], ...problems },
];
