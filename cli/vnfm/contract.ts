/**
 * The members of the answers of vnflow's HTTP API that the CLI reads. Others are ignored: the API may be newer than the
 * CLI.
 */
import { z } from 'zod';

export const Problem = z.looseObject({
  status: z.number().optional(),
  title: z.string().optional(),
  detail: z.string(),
  code: z.string().optional(),
  remedy: z.string().optional(),
  seen: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

const STEP_STATES = ['WAITING', 'PAUSED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED', 'SKIPPED'] as const;

export const TimelineStep = z.looseObject({
  id: z.string(),
  kind: z.string(),
  summary: z.string(),
  slot: z.string().optional(),
  node: z.looseObject({ name: z.string().nullish(), address: z.string().nullish() }).optional(),
  state: z.enum(STEP_STATES),
  attempt: z.number(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  expectedSeconds: z.number().optional(),
  /** What a running step does or waits for. */
  progress: z.string().optional(),
  logTail: z.string().optional(),
  note: z.string().optional(),
  error: Problem.optional(),
});
export type TimelineStep = z.infer<typeof TimelineStep>;

export const Timeline = z.looseObject({
  id: z.string(),
  vnfInstanceId: z.string(),
  operation: z.string(),
  operationState: z.string(),
  /** Mode of a cancel that is being carried out. */
  cancelMode: z.string().optional(),
  startTime: z.string(),
  stateEnteredTime: z.string(),
  error: Problem.optional(),
  expectedSeconds: z.number().optional(),
  steps: z.array(TimelineStep),
});
export type Timeline = z.infer<typeof Timeline>;

export const StepLog = z.looseObject({ text: z.string(), next: z.number(), running: z.boolean() });
export type StepLog = z.infer<typeof StepLog>;

export const OperationEvent = z.looseObject({
  seq: z.number(),
  at: z.string(),
  type: z.enum(['operation', 'step']),
  state: z.string(),
  stepId: z.string().optional(),
  summary: z.string(),
  attempt: z.number().optional(),
  text: z.string(),
});
export type OperationEvent = z.infer<typeof OperationEvent>;
export const Events = z.looseObject({ events: z.array(OperationEvent), next: z.number() });

const PlanStep = z.looseObject({
  id: z.string(),
  kind: z.string(),
  summary: z.string(),
  slot: z.string().optional(),
  after: z.array(z.string()),
  commands: z.array(z.string()),
  expectedSeconds: z.number(),
});
const Quorum = z.looseObject({ members: z.number(), majority: z.number(), tolerates: z.number() });
const nodes = z.array(z.string()).default([]);
export const Disruption = z.looseObject({
  added: nodes,
  removed: nodes,
  replaced: nodes,
  drained: nodes,
  touched: nodes,
  untouched: nodes,
  quorum: z.looseObject({ before: Quorum, lowest: Quorum, after: Quorum }),
});
export type Disruption = z.infer<typeof Disruption>;

const PodToLeave = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  node: z.string(),
  budget: z.looseObject({ name: z.string(), disruptionsAllowed: z.number() }).optional(),
});
export type PodToLeave = z.infer<typeof PodToLeave>;

/** The answer of the cluster when the plan was made. */
export const Observed = z.looseObject({
  etcd: z.array(z.looseObject({ name: z.string(), healthy: z.boolean(), voter: z.boolean() })).optional(),
  controlPlane: z
    .array(z.looseObject({ name: z.string(), verdict: z.enum(['alive', 'dead', 'unknown']), seen: z.string() }))
    .optional(),
  pods: z.array(PodToLeave).optional(),
  podsProblem: z.string().optional(),
  capacity: z.array(z.string()).optional(),
  /** What a private registry has. */
  contents: z
    .looseObject({
      problem: z.string().optional(),
      images: z.number(),
      bytes: z.number(),
      unreadable: z.array(z.string()),
    })
    .optional(),
  problem: z.string().optional(),
});
export type Observed = z.infer<typeof Observed>;

export const Plan = z.looseObject({
  operation: z.string(),
  template: z
    .looseObject({
      generated: z.boolean(),
      name: z.string(),
      top: z.string(),
      nested: z.record(z.string(), z.string()),
    })
    .optional(),
  installScript: z.looseObject({ path: z.string(), contract: z.string(), isOwn: z.boolean().optional() }).optional(),
  steps: z.array(PlanStep),
  criticalPathSeconds: z.number(),
  criticalPath: z.array(z.string()).default([]),
  disruption: Disruption.optional(),
  observed: Observed.optional(),
  rollback: z.looseObject({ supported: z.boolean(), steps: z.array(PlanStep) }).optional(),
});
export type Plan = z.infer<typeof Plan>;

export const OpOcc = z.looseObject({
  id: z.string(),
  operation: z.string(),
  operationState: z.string(),
  startTime: z.string(),
  stateEnteredTime: z.string(),
  vnfInstanceId: z.string(),
  error: Problem.optional(),
});
export type OpOcc = z.infer<typeof OpOcc>;
export const OpOccs = z.array(OpOcc);

export const Created = z.looseObject({ id: z.string() });
export const VnfPackage = z.looseObject({
  id: z.string(),
  vnfdId: z.string().optional(),
  onboardingState: z.string(),
  operationalState: z.string(),
});
export const VnfPackages = z.array(VnfPackage);

const VnfcResource = z.looseObject({
  id: z.string(),
  vduId: z.string(),
  computeResource: z.looseObject({ resourceId: z.string() }),
  metadata: z.looseObject({ vdu_idx: z.number().optional() }).optional(),
});
export type VnfcResource = z.infer<typeof VnfcResource>;
export const VnfInstance = z.looseObject({
  id: z.string(),
  instantiatedVnfInfo: z.looseObject({ vnfcResourceInfo: z.array(VnfcResource).optional() }).optional(),
});

/** States that an operation does not leave by itself. */
export const RESTING_STATES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK']);

/** The CA of a private registry. */
export const RegistryCa = z.looseObject({
  certificate: z.string(),
  fingerprint256: z.string(),
  validUntil: z.string(),
});
export type RegistryCa = z.infer<typeof RegistryCa>;

/** An instance in the list. */
export const VnfInstances = z.array(z.looseObject({ id: z.string(), vnfInstanceName: z.string().optional() }));

const ClusterNodeStatus = z.looseObject({
  name: z.string(),
  role: z.string(),
  vnfcId: z.string().optional(),
  serverId: z.string(),
  addresses: z.looseObject({ ssh: z.string(), node: z.string() }),
  ready: z.looseObject({ status: z.boolean(), reason: z.string().optional(), since: z.string().optional() }).optional(),
  kubelet: z.string().optional(),
  etcd: z.looseObject({ voter: z.boolean(), healthy: z.boolean() }).optional(),
  verdict: z.looseObject({ is: z.string(), seen: z.string() }).optional(),
});
export type ClusterNodeStatus = z.infer<typeof ClusterNodeStatus>;

/** The nodes of an instance, and how they are. */
export const ClusterStatus = z.looseObject({
  vnfInstanceId: z.string(),
  vnfInstanceName: z.string().optional(),
  instantiationState: z.string(),
  flavourId: z.string().optional(),
  operation: z.looseObject({ id: z.string(), operation: z.string(), operationState: z.string() }).optional(),
  nodes: z.array(ClusterNodeStatus),
  etcd: z.looseObject({ members: z.number(), healthy: z.number(), tolerates: z.number() }).optional(),
  lastBackup: z.looseObject({ takenAt: z.string(), bytes: z.number() }).optional(),
  observedAt: z.string().optional(),
  problem: z.string().optional(),
});
export type ClusterStatus = z.infer<typeof ClusterStatus>;

const AuditEntry = z.looseObject({
  seq: z.number(),
  at: z.string(),
  who: z.string(),
  source: z.string(),
  action: z.string(),
  resource: z.string(),
  status: z.number(),
  code: z.string().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
export const AuditEntries = z.looseObject({ entries: z.array(AuditEntry), next: z.number() });
export const AuditVerification = z.looseObject({
  ok: z.boolean(),
  entries: z.number().optional(),
  last: z.looseObject({ seq: z.number(), hash: z.string() }).optional(),
  brokenAt: z.number().optional(),
});
