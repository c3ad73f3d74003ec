import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { secretValues } from '../../domain/redaction.ts';
import { type StepKind, stepFacts } from '../../domain/steps/index.ts';
import { cancelJob, type JobResult, jobId, runJob } from '../../ssh/job.ts';
import { recordStepLog } from '../../store/operation-steps.ts';
import { isToBeStopped } from '../../store/operator-controls.ts';
import { createLogRecord } from '../attempt/log-record.ts';
import { pollMsOf } from '../attempt/poll.ts';
import { attemptNumber } from '../attempt/step-attempt.ts';
import type { StepContext } from '../step-context.ts';
import type { NodeAccess } from './node-session.ts';

const LOG_RECORD_MS = 1_000;

/** The context of a phase: an attempt of a step, on a node. */
export interface PhaseContext extends StepContext, NodeAccess {}

/** A phase of an install script, as a job on a node. */
export interface PhaseJob {
  readonly kind: StepKind;
  /** The name of the phase in the install script. Default: the phase of the kind of step. */
  readonly name?: string;
  /** Distinguishes jobs of one step. */
  readonly jobSuffix?: string;
  /** The id of a job that several steps may begin or go on with. Default: an id of this step alone. */
  readonly id?: string;
  readonly script: Buffer | string;
  /** Variables of the phase (docs/install-script.md). */
  readonly environment: Readonly<Record<string, string>>;
  /** Keeps the secret outputs of the script. They are removed from the node after that. */
  sealSecrets?(secretOutputs: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * Runs a phase of an install script on a node, as a job that is started or, when it runs already, attached to.
 * @throws VnflowError NODE_COMMAND_FAILED, NODE_COMMAND_TRANSIENT, PACKAGE_SOURCE_GONE, NODE_DISK_FULL,
 * NODE_JOB_TIMEOUT with the tail of the log
 */
export async function runPhaseJob(step: PhaseContext, phase: PhaseJob): Promise<JobResult> {
  const { deps, input, node, session, signal } = step;
  const { timeLimitSeconds } = stepFacts(phase.kind);
  const name = nameOfPhase(phase);
  let recordedAt = 0;
  let latest = '';
  const attempt = attemptNumber();
  const record = () => recordStepLog(deps.db, { ...input, attempt }, latest);
  const whole = createLogRecord(deps, { ...input, attempt });
  const job = {
    id: phase.id ?? phaseJobId(input, phase.jobSuffix),
    description: `vnflow ${name} ${node.nodeName}`,
    script: phase.script,
    args: [name],
    env: phase.environment,
    secrets: hiddenValues(step),
    timeLimitSeconds: timeLimitSeconds - 60,
    operation: input.vnfLcmOpOccId,
  };
  const running = runJob(session, job, {
    signal,
    pollMs: pollMsOf(deps.pace.poll),
    ...(phase.sealSecrets ? { sealSecrets: phase.sealSecrets } : {}),
    onLog: (lines) => whole.append(lines),
    onProgress: (logTail) => {
      latest = logTail;
      step.say(logTail.split('\n').slice(-3).join('\n'));
      if (Date.now() - recordedAt < LOG_RECORD_MS) return;
      recordedAt = Date.now();
      record().catch((error: unknown) => deps.log.warn({ error }, 'log tail not recorded'));
    },
  });
  const result = await running
    .catch(async (error: unknown) => {
      if (signal.aborted) await stopIfOrdered(step, job.id);
      throw error;
    })
    .finally(() => whole.end());
  latest = result.logTail;
  await record();
  return result;
}

/** The word with which the install script is called. */
export function nameOfPhase({ name, kind }: Pick<PhaseJob, 'name' | 'kind'>): string {
  return name ?? stepFacts(kind).phase ?? '';
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
function hiddenValues({ parameters, login }: NodeAccess): string[] {
  return secretValues(parameters).filter((value) => value !== login.username);
}
