import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { secretValues } from '../../domain/redaction.ts';
import { type StepKind, stepFacts } from '../../domain/steps/index.ts';
import type { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import {
  type BackupOnNode,
  type ClusterContext,
  type JoinCredentials,
  phaseEnvironment,
} from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { cancelJob, type JobResult, jobId, runJob } from '../../ssh/job.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { isToBeStopped } from '../../store/operator-controls.ts';
import type { ActivityContext } from '../activity-context.ts';
import { pollMsOf } from '../attempt/poll.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import { readFact } from '../facts/kept-facts.ts';
import type { StepContext } from '../step-context.ts';
import { readInstallScript } from './install-script.ts';
import { loginOf, type NodeAccess } from './node-session.ts';

const LOG_RECORD_MS = 1_000;

export interface Phase {
  readonly kind: StepKind;
  /** The name of the phase in the install script. Default: the phase of the kind of step. */
  readonly name?: string;
  /** Distinguishes jobs of one step, for example a token minted on another node. */
  readonly jobSuffix?: string;
  readonly credentials?: JoinCredentials;
  readonly vrrpPassword?: string;
  readonly backup?: BackupOnNode;
  /** The cluster as this phase shall see it. Default: as it was discovered. */
  seenAs?(cluster: ClusterContext): ClusterContext;
  /** Keeps the secret outputs of the script. They are removed from the node after that. */
  sealSecrets?(secretOutputs: Readonly<Record<string, string>>): Promise<void>;
}

/** The context of a phase: an attempt of a step, on a node. */
export interface PhaseContext extends StepContext, NodeAccess {}

/**
 * Runs a phase of the package's install script on a node, as a job that is started or, when it runs already, attached
 * to.
 * @throws VnflowError NODE_COMMAND_FAILED, NODE_COMMAND_TRANSIENT, PACKAGE_SOURCE_GONE, NODE_DISK_FULL, NODE_JOB_TIMEOUT with the tail of
 * the log
 */
export async function runPhase(step: PhaseContext, phase: Phase): Promise<JobResult> {
  const { deps, input, node, parameters, session, signal } = step;
  const { phase: ofKind = '', timeLimitSeconds } = stepFacts(phase.kind);
  const name = phase.name ?? ofKind;
  const cluster = await readClusterContext(step);
  const environment = phaseEnvironment({
    phase: name,
    node: { name: node.nodeName, address: node.nicAddress, loginUser: loginOf(parameters, node.role).username },
    parameters,
    cluster: phase.seenAs?.(cluster) ?? cluster,
    ...(phase.credentials === undefined ? {} : { credentials: phase.credentials }),
    ...(phase.vrrpPassword === undefined ? {} : { vrrpPassword: phase.vrrpPassword }),
    ...(phase.backup === undefined ? {} : { backup: phase.backup }),
  });
  let recordedAt = 0;
  let latest = '';
  const attempt = attemptNumber();
  const record = () => recordStepLog(deps.db, { ...input, attempt }, latest);
  const job = {
    id: phaseJobId(input, phase.jobSuffix),
    description: `vnflow ${name} ${node.nodeName}`,
    script: await readInstallScript(step, parameters.script_path),
    args: [name],
    env: environment,
    secrets: hiddenValues(parameters),
    timeLimitSeconds: timeLimitSeconds - 60,
  };
  const running = runJob(session, job, {
    signal,
    pollMs: pollMsOf(deps.pace.poll),
    ...(phase.sealSecrets ? { sealSecrets: phase.sealSecrets } : {}),
    onProgress: (logTail) => {
      latest = logTail;
      step.say(logTail.split('\n').slice(-3).join('\n'));
      if (Date.now() - recordedAt < LOG_RECORD_MS) return;
      recordedAt = Date.now();
      record().catch((error: unknown) => deps.log.warn({ error }, 'log tail not recorded'));
    },
  });
  const result = await running.catch(async (error: unknown) => {
    if (signal.aborted) await stopIfOrdered(step, job.id);
    throw error;
  });
  latest = result.logTail;
  await record();
  return result;
}

/**
 * A worker process that ends leaves the job running, and the next attempt attaches to it. An operator who stops the
 * step wants the job to stop.
 */
async function stopIfOrdered({ deps, input, session }: PhaseContext, id: string): Promise<void> {
  try {
    if (await isToBeStopped(deps.db, input)) await cancelJob(session, id);
  } catch (error) {
    deps.log.warn({ error, stepId: input.stepId, job: id }, 'job not stopped; a later attempt attaches to it');
  }
}

/** The id of the job that runs a step's phase on a node. All attempts of the step have one job. */
export function phaseJobId({ vnfLcmOpOccId, stepId }: StepInput, suffix?: string): string {
  return jobId(vnfLcmOpOccId, suffix === undefined ? stepId : `${stepId}-${suffix}`);
}

/**
 * Secrets to hide in the log. A password that equals the user name is left out: hiding it would spoil every line with
 * the name.
 */
function hiddenValues(parameters: ClusterParameters): string[] {
  const names = new Set([parameters.master_node.username, parameters.worker_node.username]);
  return secretValues(parameters).filter((value) => !names.has(value));
}

/**
 * The cluster as `discover` found it.
 * @throws VnflowError INTERNAL before `discover` has run (a defect of the planner)
 */
export async function readClusterContext(context: ActivityContext): Promise<ClusterContext> {
  const cluster = await readFact(context, 'cluster');
  if (cluster) return cluster;
  throw new VnflowError('INTERNAL', {
    detail: `Operation ${context.input.vnfLcmOpOccId} has not discovered its cluster.`,
  });
}
