import { z } from 'zod';
import { CANCEL_MODES, OPERATION_STATES } from '../../domain/operation/state.ts';
import { OPERATIONS } from '../../domain/operations.ts';
import { EvictedPod } from '../../domain/vnf-kinds/kubernetes-cluster/evicted-pods.ts';
import { type Contract, type Contracts, removes, shows } from '../openapi/contract.ts';
import { KeptProblem } from '../openapi/problem.ts';
import { KUBECONFIG_TYPE, KubeconfigRequest } from './kubeconfig.ts';
import { PlanRequest, VnfdPlanRequest } from './plan-answer.ts';
import { SkipStepRequest } from './step-controls.ts';

const texts = z.array(z.string());
const time = z.iso.datetime();
const seconds = z.number().min(0);

const Step = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    summary: z.string(),
    slot: z.string().optional(),
    node: z.strictObject({ name: z.string(), address: z.string() }).optional(),
    after: texts,
    state: z.enum(['WAITING', 'PAUSED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED']),
    attempt: z.int(),
    startedAt: time.optional(),
    endedAt: time.optional(),
    expectedSeconds: seconds.optional(),
    progress: z.string().optional(),
    logTail: z.string().optional(),
    note: z.string().optional(),
    build: z.string().optional(),
    error: KeptProblem.optional(),
  })
  .meta({ id: 'Step' });

const Timeline = z
  .strictObject({
    id: z.uuid(),
    vnfInstanceId: z.uuid(),
    operation: z.enum(OPERATIONS),
    operationState: z.enum(OPERATION_STATES),
    startedBy: z.string().optional(),
    cancelMode: z.enum(CANCEL_MODES).optional(),
    startTime: time,
    stateEnteredTime: time,
    error: KeptProblem.optional(),
    build: z.string().optional(),
    expectedSeconds: seconds.optional(),
    steps: z.array(Step),
  })
  .meta({ id: 'Timeline' });

const Events = z
  .strictObject({
    events: z.array(
      z.strictObject({
        seq: z.int(),
        at: time,
        type: z.enum(['operation', 'step']),
        state: z.string(),
        stepId: z.string().optional(),
        attempt: z.int().optional(),
        summary: z.string(),
        text: z.string(),
      }),
    ),
    next: z.int(),
  })
  .meta({ id: 'Events' });

const Quorum = z.strictObject({ members: z.int(), majority: z.int(), tolerates: z.int() });

const PlannedStep = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    summary: z.string(),
    slot: z.string().optional(),
    slots: texts.optional(),
    backupId: z.string().optional(),
    after: texts,
    commands: texts,
    expectedSeconds: seconds,
  })
  .meta({ id: 'PlannedStep' });

const Plan = z
  .strictObject({
    operation: z.enum(OPERATIONS),
    installScript: z
      .strictObject({
        path: z.string(),
        contract: z.enum(['phases', 'monolith']),
        /** The package has none. */
        isOwn: z.literal(true).optional(),
      })
      .optional(),
    steps: z.array(PlannedStep),
    criticalPathSeconds: seconds,
    criticalPath: texts,
    expectedSeconds: seconds,
    disruption: z.strictObject({
      added: texts,
      removed: texts,
      replaced: texts,
      drained: texts,
      touched: texts,
      untouched: texts,
      quorum: z.strictObject({ before: Quorum, lowest: Quorum, after: Quorum }),
    }),
    observed: z
      .strictObject({
        etcd: z
          .array(z.strictObject({ name: z.string().optional(), healthy: z.boolean(), voter: z.boolean() }))
          .optional(),
        controlPlane: z
          .array(z.strictObject({ name: z.string(), verdict: z.enum(['alive', 'dead', 'unknown']), seen: z.string() }))
          .optional(),
        pods: z.array(EvictedPod).optional(),
        podsProblem: z.string().optional(),
        problem: z.string().optional(),
        capacity: texts.optional(),
        contents: z
          .strictObject({
            problem: z.string().optional(),
            images: z.number(),
            bytes: z.number(),
            unreadable: texts,
            limitBytes: z.number(),
            kept: z.strictObject({ images: z.number(), container: z.string().optional() }).optional(),
          })
          .optional(),
      })
      .optional(),
    template: z
      .strictObject({
        generated: z.boolean(),
        name: z.string(),
        top: z.string(),
        nested: z.record(z.string(), z.string()),
      })
      .optional(),
    rollback: z.strictObject({ supported: z.boolean(), steps: z.array(PlannedStep) }),
  })
  .meta({ id: 'Plan' });

const ClusterStatus = z
  .strictObject({
    vnfInstanceId: z.uuid(),
    vnfInstanceName: z.string().optional(),
    instantiationState: z.enum(['NOT_INSTANTIATED', 'INSTANTIATED']),
    flavourId: z.string().optional(),
    operation: z
      .strictObject({ id: z.uuid(), operation: z.enum(OPERATIONS), operationState: z.enum(OPERATION_STATES) })
      .optional(),
    nodes: z.array(
      z.strictObject({
        name: z.string(),
        role: z.string(),
        slot: z.string(),
        vduId: z.string(),
        vnfcId: z.string().optional(),
        serverId: z.string(),
        addresses: z.strictObject({ ssh: z.string(), node: z.string() }),
        ready: z
          .strictObject({ status: z.boolean(), reason: z.string().optional(), since: z.string().optional() })
          .optional(),
        kubelet: z.string().optional(),
        etcd: z.strictObject({ memberId: z.string(), voter: z.boolean(), healthy: z.boolean() }).optional(),
        verdict: z.strictObject({ is: z.enum(['alive', 'dead', 'unknown']), seen: z.string() }).optional(),
      }),
    ),
    etcd: z.strictObject({ members: z.int(), healthy: z.int(), majority: z.int(), tolerates: z.int() }).optional(),
    lastBackup: z.strictObject({ id: z.uuid(), takenAt: time, nodeName: z.string(), bytes: z.int() }).optional(),
    observedAt: time.optional(),
    problem: z.string().optional(),
  })
  .meta({ id: 'ClusterStatus' });

const Backup = z
  .strictObject({
    id: z.uuid(),
    takenAt: time,
    nodeName: z.string(),
    endpoint: z.string(),
    revision: z.string(),
    totalKeys: z.int(),
    bytes: z.int(),
  })
  .meta({ id: 'Backup' });

export const Health = z
  .strictObject({
    status: z.string(),
    checks: z.array(
      z.strictObject({
        name: z.enum(['store', 'temporal', 'workers', 'keystone', 'worker']),
        ok: z.boolean(),
        problem: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Health' });

const AuditEntries = z
  .strictObject({
    entries: z.array(
      z.strictObject({
        seq: z.int(),
        at: time,
        who: z.string(),
        project: z.string().optional(),
        source: z.string(),
        action: z.string(),
        resource: z.string(),
        status: z.int(),
        code: z.string().optional(),
        requestId: z.string(),
        vnfLcmOpOccId: z.string().optional(),
        hash: z.string(),
      }),
    ),
    next: z.int(),
  })
  .meta({ id: 'AuditEntries' });

const Verification = z
  .strictObject({
    ok: z.boolean(),
    entries: z.int().optional().describe('Of all projects: for the role admin.'),
    last: z.strictObject({ seq: z.int(), hash: z.string() }).optional(),
    brokenAt: z.int().optional(),
  })
  .meta({ id: 'AuditVerification' });

const StepLog = z
  .strictObject({
    stepId: z.string(),
    attempt: z.int(),
    /** How many attempts the step has had. */
    attempts: z.int(),
    text: z.string(),
    /** The next part begins after this piece. */
    next: z.int(),
    /** Whether the attempt runs: more may follow. */
    running: z.boolean(),
  })
  .meta({ id: 'StepLog' });

const STEP = '/vnf_lcm_op_occs/{id}/steps/{stepId}';

function controls(summary: string, body?: z.ZodType): { POST: Contract } {
  return { POST: { ...shows(summary, Step), ...(body === undefined ? {} : { body }) } };
}

const RegistryCa = z
  .strictObject({ certificate: z.string(), fingerprint256: z.string(), validUntil: time })
  .meta({ id: 'RegistryCa' });

const HostKey = z
  .strictObject({
    /** Id of the server, or `bastion`. */
    machine: z.string(),
    /** Only of the bastion: `host:port`. */
    address: z.string().optional(),
    nodeName: z.string().optional(),
    vnfInstanceId: z.uuid().optional(),
    keyType: z.string(),
    fingerprint: z.string(),
    source: z.enum(['console', 'first-contact']),
    seenAt: time,
  })
  .meta({ id: 'HostKey' });

export const VNFLOW_CONTRACTS: Contracts = {
  '/vnf_lcm_op_occs/{id}/timeline': { GET: shows('An operation with its steps', Timeline) },
  '/vnf_lcm_op_occs/{id}/events': {
    GET: shows(
      'What happened since an event; can wait',
      Events,
      z.object({ after: z.string().optional(), wait: z.string().optional() }),
    ),
  },
  [STEP]: { GET: shows('A step', Step) },
  [`${STEP}/log`]: {
    GET: shows(
      'The log of a step, a part at a time; can wait for more',
      StepLog,
      z.object({ attempt: z.string().optional(), after: z.string().optional(), wait: z.string().optional() }),
    ),
  },
  [`${STEP}/retry`]: controls('Try a step again at once'),
  [`${STEP}/skip`]: controls('Do without a step', SkipStepRequest),
  [`${STEP}/pause`]: controls('Do not start a step before it is resumed'),
  [`${STEP}/resume`]: controls('Let a paused step start'),
  '/vnf_instances/{id}/backups': { GET: shows("Backups of the instance's cluster", z.array(Backup)) },
  '/vnf_instances/{id}/registry/ca': { GET: shows("CA of the instance's private registry", RegistryCa) },
  '/vnf_instances/{id}/cluster': {
    GET: shows(
      'The nodes of an instance; with look=true the cluster is asked how they are',
      ClusterStatus,
      z.object({ look: z.string().optional() }),
    ),
  },
  '/vnf_instances/{id}/kubeconfig': {
    POST: {
      summary: 'A credential for the cluster that ends by itself',
      body: KubeconfigRequest,
      answers: { 200: { file: [KUBECONFIG_TYPE] } },
    },
  },
  '/vnf_instances/{id}/plan': { POST: { ...shows('What an operation would do', Plan), body: PlanRequest } },
  '/host_keys': {
    GET: shows("Pinned SSH host keys of the project's servers, and of the bastion", z.array(HostKey)),
  },
  '/host_keys/{machine}': { DELETE: removes('Forget a host key: the next contact pins a new one') },
  '/plan': { POST: { ...shows('What instantiate would do, without an instance', Plan), body: VnfdPlanRequest } },
  '/health': { GET: { summary: 'Can the API answer, and what is missing?', answers: { 200: Health, 503: Health } } },
  '/audit': {
    GET: shows(
      "The audit trail of the caller's project, the oldest first",
      AuditEntries,
      z.object({ after: z.string().optional(), limit: z.string().optional() }),
    ),
  },
  '/audit/verify': {
    GET: shows('Whether the chain of all entries is intact; where it is broken, for the role admin', Verification),
  },
  '/openapi.json': { GET: shows('This document', z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })) },
};
