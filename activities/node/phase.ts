import { VnflowError } from '../../domain/problems.ts';
import {
  INSTALL_PARAMETERS,
  type InstallParameters,
  packageParametersPath,
  readPackageParameters,
} from '../../domain/vnf-kinds/kubernetes-cluster/install-parameters.ts';
import { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import {
  type BackupOnNode,
  type ClusterContext,
  type JoinCredentials,
  phaseEnvironment,
} from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import type { JobResult } from '../../ssh/job.ts';
import type { ActivityContext } from '../activity-context.ts';
import { readFact } from '../facts/kept-facts.ts';
import { readPackageFile } from '../facts/package-file.ts';
import { readInstallScript } from './install-script.ts';
import { nameOfPhase, type PhaseContext, type PhaseJob, runPhaseJob } from './phase-job.ts';

/** A phase of the install script on a node of a cluster. */
export interface Phase extends Omit<PhaseJob, 'script' | 'environment'> {
  readonly credentials?: JoinCredentials;
  readonly vrrpPassword?: string;
  readonly backup?: BackupOnNode;
  /** The cluster as this phase shall see it. Default: as it was discovered. */
  seenAs?(cluster: ClusterContext): ClusterContext;
}

/**
 * Runs a phase of the package's install script on a node, as a job that is started or, when it runs already, attached
 * to.
 * @throws VnflowError NODE_COMMAND_FAILED, NODE_COMMAND_TRANSIENT, PACKAGE_SOURCE_GONE, NODE_DISK_FULL,
 * NODE_JOB_TIMEOUT with the tail of the log
 */
export async function runPhase(step: PhaseContext, phase: Phase): Promise<JobResult> {
  const { node, login } = step;
  const parameters = ClusterParameters.parse(step.parameters);
  const cluster = await readClusterContext(step);
  const environment = phaseEnvironment({
    phase: nameOfPhase(phase),
    node: { name: node.nodeName, address: node.nicAddress, loginUser: login.username },
    parameters,
    installParameters: await readInstallParameters(step, parameters),
    cluster: phase.seenAs?.(cluster) ?? cluster,
    ...(phase.credentials === undefined ? {} : { credentials: phase.credentials }),
    ...(phase.vrrpPassword === undefined ? {} : { vrrpPassword: phase.vrrpPassword }),
    ...(phase.backup === undefined ? {} : { backup: phase.backup }),
  });
  const { kind, name, jobSuffix, sealSecrets } = phase;
  return runPhaseJob(step, {
    kind,
    script: await readInstallScript(step, parameters.script_path),
    environment,
    ...(name === undefined ? {} : { name }),
    ...(jobSuffix === undefined ? {} : { jobSuffix }),
    ...(sealSecrets ? { sealSecrets } : {}),
  });
}

/** The values that the package gives the parameters of its install script. Those of the request come before them. */
async function readInstallParameters(
  context: ActivityContext,
  { script_path, [INSTALL_PARAMETERS]: requested = {} }: ClusterParameters,
): Promise<InstallParameters> {
  const at = packageParametersPath(script_path);
  const file = await readPackageFile(context, at);
  return { ...(file === undefined ? {} : readPackageParameters(file.toString(), at)), ...requested };
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
