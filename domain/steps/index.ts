/** What kinds of step there are, how long each may take, and how it is told to people. One row per kind. */
interface StepKindFacts {
  /** `{node}` stands for the node's label. */
  readonly summary: string;
  /** What stands there when a step names no node. */
  readonly anyNode?: string;
  /** Seconds expected until experience says better. */
  readonly expectedSeconds: number;
  /** The longest honest attempt, in seconds. */
  readonly timeLimitSeconds: number;
  /** How often a retriable failure is repeated before an operator is asked. */
  readonly attempts: number;
  /** Why no operator may skip it, as the end of a sentence; false: one may, having done it by hand or being able to do without. */
  readonly mustRun: string | false;
  /** The phase of the package's install script that runs on the node (docs/install-script.md). */
  readonly phase?: string;
}

export const STEP_KINDS = {
  gracePeriod: {
    summary: 'wait for the graceful termination timeout',
    expectedSeconds: 10,
    timeLimitSeconds: 0,
    attempts: 1,
    mustRun: false,
  },
  applyStack: {
    summary: 'create the Heat stack',
    expectedSeconds: 20,
    timeLimitSeconds: 1500,
    attempts: 20,
    mustRun: 'without the stack there are no servers',
  },
  discover: {
    summary: 'find the servers and their addresses',
    expectedSeconds: 1,
    timeLimitSeconds: 120,
    attempts: 20,
    mustRun: 'later steps and the instance need what it finds',
  },
  prepareNode: {
    summary: 'prepare {node}',
    expectedSeconds: 180,
    timeLimitSeconds: 3000,
    attempts: 12,
    phase: 'prepare',
    mustRun: false,
  },
  initControlPlane: {
    summary: 'start the control plane on {node}',
    expectedSeconds: 60,
    timeLimitSeconds: 1800,
    attempts: 8,
    phase: 'init',
    mustRun: 'the other nodes join with what it gives',
  },
  loadBalancer: {
    summary: 'set up the load balancer on {node}',
    expectedSeconds: 30,
    timeLimitSeconds: 1200,
    attempts: 12,
    phase: 'load-balancer',
    mustRun: false,
  },
  joinControlPlane: {
    summary: 'join {node} to the control plane',
    expectedSeconds: 60,
    timeLimitSeconds: 1800,
    attempts: 8,
    phase: 'join-control-plane',
    mustRun: false,
  },
  installCni: {
    summary: 'install Cilium from {node}',
    expectedSeconds: 50,
    timeLimitSeconds: 1800,
    attempts: 8,
    phase: 'cni',
    mustRun: false,
  },
  joinWorker: {
    summary: 'join {node}',
    expectedSeconds: 25,
    timeLimitSeconds: 1800,
    attempts: 12,
    phase: 'join-worker',
    mustRun: false,
  },
  verifyCluster: {
    summary: 'verify that every node is Ready',
    expectedSeconds: 10,
    timeLimitSeconds: 900,
    attempts: 20,
    mustRun: false,
  },
  growStack: {
    summary: 'add servers to the Heat stack',
    expectedSeconds: 20,
    timeLimitSeconds: 1500,
    attempts: 20,
    mustRun: 'without it there are no new servers',
  },
  registerVim: {
    summary: 'register the cluster as a VIM from {node}',
    expectedSeconds: 3,
    timeLimitSeconds: 300,
    attempts: 8,
    mustRun: false,
  },
  snapshotEtcd: {
    summary: 'back up etcd and the keys of the cluster from {node}',
    anyNode: 'a control-plane node',
    expectedSeconds: 3,
    timeLimitSeconds: 900,
    attempts: 12,
    mustRun: false,
  },
  stopServers: {
    summary: 'stop the servers of {node}',
    expectedSeconds: 10,
    timeLimitSeconds: 900,
    attempts: 12,
    mustRun: 'a member of the old cluster that runs on would make two clusters of one',
  },
  restoreControlPlane: {
    summary: 'restore the cluster on {node}',
    expectedSeconds: 90,
    timeLimitSeconds: 1800,
    attempts: 8,
    mustRun: 'without it there is no control plane',
    phase: 'restore',
  },
  recallNodes: {
    summary: 'see that the nodes come back to {node}',
    expectedSeconds: 60,
    timeLimitSeconds: 1800,
    attempts: 12,
    mustRun: false,
  },
  scheduleSnapshots: {
    summary: 'back the cluster up regularly from now on',
    expectedSeconds: 1,
    timeLimitSeconds: 60,
    attempts: 20,
    mustRun: false,
  },
  removeWorkers: {
    summary: 'drain and delete {node}',
    expectedSeconds: 30,
    timeLimitSeconds: 3600,
    attempts: 12,
    mustRun: false,
  },
  shrinkStack: {
    summary: 'take servers out of the Heat stack',
    expectedSeconds: 15,
    timeLimitSeconds: 1500,
    attempts: 20,
    mustRun: 'the servers would stay, and nobody would know of them',
  },
  deleteStack: {
    summary: 'delete the Heat stack',
    expectedSeconds: 15,
    timeLimitSeconds: 1500,
    attempts: 20,
    mustRun: 'the servers would stay, and nobody would know of them',
  },
  excludeFromLoadBalancers: {
    summary: 'take {node} out of the load balancers',
    expectedSeconds: 10,
    timeLimitSeconds: 1200,
    attempts: 12,
    mustRun: false,
    phase: 'load-balancer',
  },
  removeControlPlane: {
    summary: 'take {node} out of etcd and the cluster',
    expectedSeconds: 20,
    timeLimitSeconds: 3600,
    attempts: 12,
    mustRun: 'a member that is gone would count for the quorum',
  },
  replaceServers: {
    summary: 'replace {node}',
    expectedSeconds: 30,
    timeLimitSeconds: 1500,
    attempts: 20,
    mustRun: 'without it there are no new servers',
  },
  includeInLoadBalancers: {
    summary: 'put {node} back into the load balancers',
    expectedSeconds: 10,
    timeLimitSeconds: 1200,
    attempts: 12,
    mustRun: false,
    phase: 'load-balancer',
  },
  recreateStack: {
    summary: 'delete the Heat stack and create it again',
    expectedSeconds: 40,
    timeLimitSeconds: 3000,
    attempts: 20,
    mustRun: 'without it there are no new servers',
  },
  forgetCluster: {
    summary: 'forget nodes, host keys, the VIM of the cluster and secrets',
    expectedSeconds: 1,
    timeLimitSeconds: 60,
    attempts: 20,
    mustRun: 'secrets and host keys would stay',
  },
} as const satisfies Record<string, StepKindFacts>;

export type StepKind = keyof typeof STEP_KINDS;
/** Kinds that are an activity (a grace period is a timer of the workflow). */
export type ActivityKind = Exclude<StepKind, 'gracePeriod'>;

/** What a summary needs to know of a step. */
interface Summarised {
  readonly kind: StepKind;
  /** The one node that it is about; `slots` may name others then. */
  readonly slot?: string | undefined;
  readonly slots?: readonly string[] | undefined;
  readonly backupId?: string | undefined;
}

/** A summary is one line: more nodes than these are only counted. */
const MOST_NAMED = 3;

/**
 * What a step does, in a line for people.
 * @param labelOf how people know the node of a slot, for example `worker57 (10.10.0.57)`
 */
export function stepSummary(
  { kind, slot, slots = [], backupId }: Summarised,
  labelOf = (of: string): string => of,
): string {
  const nodes = slot === undefined ? slots : [slot];
  const more = nodes.length > MOST_NAMED ? ` and ${nodes.length - MOST_NAMED} more` : '';
  const { summary, anyNode = '' } = stepFacts(kind);
  const named = nodes.slice(0, MOST_NAMED).map(labelOf).join(', ') || anyNode;
  const from = backupId === undefined ? '' : ` from backup ${backupId}`;
  return summary.replace('{node}', () => `${named}${more}`) + from;
}

export function stepFacts(kind: StepKind): StepKindFacts {
  return STEP_KINDS[kind];
}
