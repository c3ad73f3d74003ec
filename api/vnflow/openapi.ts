import { z } from 'zod';
import { LCM_OPERATIONS, type Operation as LcmOperation, OPERATIONS } from '../../domain/operations.ts';
import { CancelMode, CreateVnfRequest } from '../../domain/sol-requests.ts';
import { V1_OPERATIONS } from '../v1/operations.ts';
import { CreateVnfRequestV1 } from '../v1/requests.ts';
import { RegisterVim, UpdateVim } from '../vims/vim-requests.ts';
import { CreateVnfPkgInfoRequest, VnfPkgInfoModifications } from '../vnfpkgm/package-requests.ts';
import { PlanRequest, VnfdPlanRequest } from './plan-answer.ts';
import { SkipStepRequest } from './step-controls.ts';

interface Operation {
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly upload?: boolean;
  readonly success: number;
}

type Methods = Readonly<Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>>;

const get = (summary: string): Methods => ({ get: { summary, success: 200 } });
const act = (summary: string, success = 202): Methods => ({ post: { summary, success } });

/** The task resource of an LCM operation. */
function taskPath({ task, summary, request }: (typeof LCM_OPERATIONS)[keyof typeof LCM_OPERATIONS]): [string, Methods] {
  return [`/vnflcm/v2/vnf_instances/{id}/${task}`, { post: { summary, body: request, success: 202 } }];
}

/** The same resource in v1, with its own body. */
function v1TaskPath(operation: LcmOperation): [string, Methods] {
  const { task, summary } = LCM_OPERATIONS[operation];
  const { request } = V1_OPERATIONS[operation];
  return [`/vnflcm/v1/vnf_instances/{id}/${task}`, { post: { summary, body: request, success: 202 } }];
}

/** What both versions of vnflcm have. @param create the body of `POST vnf_instances` */
function vnflcmPaths(prefix: string, create: z.ZodType): Record<string, Methods> {
  return {
    [`${prefix}/vnf_instances`]: {
      ...get('List VNF instances'),
      post: { summary: 'Create a VNF instance', body: create, success: 201 },
    },
    [`${prefix}/vnf_instances/{id}`]: {
      ...get('Show a VNF instance'),
      delete: { summary: 'Delete a VNF instance', success: 204 },
    },
    [`${prefix}/vnf_lcm_op_occs`]: get('List operations'),
    [`${prefix}/vnf_lcm_op_occs/{id}`]: get('Show an operation'),
    [`${prefix}/vnf_lcm_op_occs/{id}/retry`]: act('Go on where a failed operation stopped'),
    [`${prefix}/vnf_lcm_op_occs/{id}/rollback`]: act('Undo a failed operation'),
    [`${prefix}/vnf_lcm_op_occs/{id}/fail`]: act('Give a failed operation up', 200),
    [`${prefix}/vnf_lcm_op_occs/{id}/cancel`]: {
      post: { summary: 'Stop an operation under way', body: CancelMode, success: 202 },
    },
  };
}

const PATHS: Readonly<Record<string, Methods>> = {
  ...vnflcmPaths('/vnflcm/v2', CreateVnfRequest),
  ...Object.fromEntries(Object.values(LCM_OPERATIONS).map(taskPath)),
  ...vnflcmPaths('/vnflcm/v1', CreateVnfRequestV1),
  ...Object.fromEntries(OPERATIONS.map(v1TaskPath)),
  '/vnfpkgm/v1/vnf_packages': {
    ...get('List VNF packages'),
    post: { summary: 'Create a VNF package', body: CreateVnfPkgInfoRequest, success: 201 },
  },
  '/vnfpkgm/v1/vnf_packages/{id}': {
    ...get('Show a VNF package'),
    patch: { summary: 'Enable, disable, label', body: VnfPkgInfoModifications, success: 200 },
    delete: { summary: 'Delete a VNF package', success: 204 },
  },
  '/vnfpkgm/v1/vnf_packages/{id}/package_content': {
    ...get('Download the CSAR'),
    put: { summary: 'Upload the CSAR', upload: true, success: 202 },
  },
  '/vnfpkgm/v1/vnf_packages/{id}/vnfd': get('Download the VNFD'),
  '/vnfpkgm/v1/vnf_packages/{id}/artifacts/{path}': get('Download an artifact'),
  '/v1.0/vims': { ...get('List VIMs'), post: { summary: 'Register a VIM', body: RegisterVim, success: 201 } },
  '/v1.0/vims/{id}': {
    ...get('Show a VIM'),
    put: { summary: 'Change a VIM', body: UpdateVim, success: 200 },
    delete: { summary: 'Delete a VIM', success: 204 },
  },
  '/vnflow/v1/vnf_lcm_op_occs/{id}/timeline': get('An operation with its steps'),
  '/vnflow/v1/vnf_lcm_op_occs/{id}/events': get('What happened since an event; can wait'),
  '/vnflow/v1/vnf_lcm_op_occs/{id}/steps/{stepId}/retry': act('Try a step again at once', 200),
  '/vnflow/v1/vnf_lcm_op_occs/{id}/steps/{stepId}/skip': {
    post: { summary: 'Do without a step', body: SkipStepRequest, success: 200 },
  },
  '/vnflow/v1/vnf_lcm_op_occs/{id}/steps/{stepId}/pause': act('Do not start a step before it is resumed', 200),
  '/vnflow/v1/vnf_lcm_op_occs/{id}/steps/{stepId}/resume': act('Let a paused step start', 200),
  '/vnflow/v1/vnf_instances/{id}/backups': get("Backups of the instance's cluster"),
  '/vnflow/v1/vnf_instances/{id}/plan': {
    post: { summary: 'What an operation would do', body: PlanRequest, success: 200 },
  },
  '/vnflow/v1/plan': {
    post: { summary: 'What instantiate would do, without an instance', body: VnfdPlanRequest, success: 200 },
  },
  '/vnflow/v1/health': get('Is it alive?'),
};

/** OpenAPI 3.1, made of the schemas that check the requests. @param endpoint base URL of the server */
export function openApiDocument(endpoint: string): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: { title: 'vnflow', version: '2.0.0' },
    servers: [{ url: endpoint }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' } } },
    paths: Object.fromEntries(Object.entries(PATHS).map(([path, methods]) => [path, pathItem(path, methods)])),
  };
}

function pathItem(path: string, methods: Methods): Record<string, unknown> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name ?? '', 'path'));
  const version = path.startsWith('/vnflcm/v2') ? [parameter('Version', 'header')] : [];
  const operations = Object.entries(methods).map(([method, operation]) => [method, operationObject(operation)]);
  return { parameters: [...inPath, ...version], ...Object.fromEntries(operations) };
}

function parameter(name: string, where: 'path' | 'header'): Record<string, unknown> {
  return { name, in: where, required: true, schema: { type: 'string' } };
}

function operationObject({ summary, body, upload, success }: Operation): Record<string, unknown> {
  const content = upload
    ? { 'application/zip': { schema: { type: 'string', format: 'binary' } } }
    : body && { 'application/json': { schema: z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) } };
  return {
    summary,
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: {
      [success]: { description: 'Done or accepted' },
      default: { description: 'A problem (RFC 9457), with code and remedy' },
    },
  };
}
