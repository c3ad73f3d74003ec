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
import { readOperationFact } from '../../store/operations.ts';
import { isToBeStopped } from '../../store/operator-controls.ts';
import { packageIdOf } from '../../store/vnf-instances.ts';
import { readVnfPackageFile } from '../../store/vnf-packages.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { loginOf, type NodeAccess } from './node-session.ts';

const LOG_RECORD_MS = 1_000;

export interface Phase {
  readonly kind: StepKind;
  /** Of the install script; default: the phase of the kind of step. */
  readonly name?: string;
  /** Distinguishes jobs of one step, for example a token minted on another node. */
  readonly jobSuffix?: string;
  readonly credentials?: JoinCredentials;
  readonly vrrpPassword?: string;
  readonly backup?: BackupOnNode;
  /** The cluster as this phase is to see it; default: as it was discovered. */
  seenAs?(cluster: ClusterContext): ClusterContext;
  /** Keeps secret outputs; they are removed from the node after that. */
  sealSecrets?(secretOutputs: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * Runs a phase of the package's install script on a node as a start-or-attach job.
 * @throws VnflowError NODE_COMMAND_FAILED, NODE_COMMAND_TRANSIENT, NODE_DISK_FULL, NODE_JOB_TIMEOUT with the tail of the log
 */
export async function runPhase(
  deps: ActivityDependencies,
  input: StepInput,
  { phase, access, beat }: { phase: Phase; access: NodeAccess; beat: Beat },
): Promise<JobResult> {
  const { node, parameters, session } = access;
  const { phase: ofKind = '', timeLimitSeconds } = stepFacts(phase.kind);
  const name = phase.name ?? ofKind;
  const cluster = await clusterContextOf(deps, input);
  const environment = phaseEnvironment({
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
    script: await installScript(deps, input, parameters.script_path),
    args: [name],
    env: environment,
    secrets: hiddenValues(parameters),
    timeLimitSeconds: timeLimitSeconds - 60,
  };
  const running = runJob(session, job, {
    signal: beat.signal,
    pollMs: { min: deps.pace.poll.first * 1000, max: deps.pace.poll.longest * 1000 },
    ...(phase.sealSecrets ? { sealSecrets: phase.sealSecrets } : {}),
    onProgress: (logTail) => {
      latest = logTail;
      beat.say(logTail.split('\n').slice(-3).join('\n'));
      if (Date.now() - recordedAt < LOG_RECORD_MS) return;
      recordedAt = Date.now();
      record().catch((error: unknown) => deps.log.warn({ error }, 'log tail not recorded'));
    },
  });
  const result = await running.catch(async (error: unknown) => {
    if (beat.signal.aborted) await stopIfWanted(deps, input, { access, id: job.id });
    throw error;
  });
  latest = result.logTail;
  await record();
  return result;
}

/** A worker that goes away leaves its job running; an operator who stops the step wants the job to stop. The next attempt starts it anew. */
async function stopIfWanted(
  deps: ActivityDependencies,
  input: StepInput,
  { access, id }: { access: NodeAccess; id: string },
): Promise<void> {
  try {
    if (await isToBeStopped(deps.db, input)) await cancelJob(access.session, id);
  } catch (error) {
    deps.log.warn({ error, stepId: input.stepId, job: id }, 'job not stopped; a later attempt attaches to it');
  }
}

/** The job of a step's phase on a node: the same one for every attempt. */
export function phaseJobId({ vnfLcmOpOccId, stepId }: StepInput, suffix?: string): string {
  return jobId(vnfLcmOpOccId, suffix === undefined ? stepId : `${stepId}-${suffix}`);
}

/** A password that is the user's name says nothing, and hiding it would spoil every line that names the user. */
function hiddenValues(parameters: ClusterParameters): string[] {
  const names = new Set([parameters.master_node.username, parameters.worker_node.username]);
  return secretValues(parameters).filter((value) => !names.has(value));
}

async function installScript(deps: ActivityDependencies, input: StepInput, scriptPath: string): Promise<Buffer> {
  const packageId = await packageIdOf(deps.db, input.vnfInstanceId);
  const script = packageId && (await readVnfPackageFile(deps.db, packageId, scriptPath.replace(/^\.\//, '')));
  if (!script)
    throw new VnflowError('RESOURCE_MISSING', { detail: `The VNF package has no file ${scriptPath} (script_path).` });
  return script;
}

/** @throws VnflowError INTERNAL before `discover` has run (a defect of the planner) */
export async function clusterContextOf(deps: ActivityDependencies, input: StepInput): Promise<ClusterContext> {
  const cluster = await readOperationFact(deps.db, input.vnfLcmOpOccId, 'cluster');
  if (!cluster)
    throw new VnflowError('INTERNAL', { detail: `Operation ${input.vnfLcmOpOccId} has not discovered its cluster.` });
  return cluster;
}
