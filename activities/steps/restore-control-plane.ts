import { VnflowError } from '../../domain/problems.ts';
import { findBackup } from '../../domain/vnf-kinds/kubernetes-cluster/chosen-backup.ts';
import type { ClusterContext } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterBackup, listClusterBackups } from '../../store/cluster-backups.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { keepFacts, readFact } from '../facts/kept-facts.ts';
import { mintJoinCredentials } from '../node/join-credentials.ts';
import { type NodeContext, onNode } from '../node/node-session.ts';
import type { PhaseContext } from '../node/phase-job.ts';
import { putFile } from '../node/put-file.ts';
import { keepFenced } from '../stack/fenced-servers.ts';
import type { StepContextOf } from '../step-context.ts';

const PUT_TIMEOUT_MS = 600_000;
const DIRECTORY = `${JOB_ROOT}/restore`;

/** Restores a cluster from a backup, on one control-plane node. */
export async function restoreControlPlane(step: StepContextOf<'restoreControlPlane'>): Promise<undefined> {
  const backup = await chooseBackup(step);
  await keepFenced(step);
  await onNode(step, {}, async (node) => {
    await restoreCluster(node, backup);
  });
}

/**
 * The backup that the request names, or the newest backup when the step first looked. A retry goes on with that backup.
 */
async function chooseBackup(step: StepContextOf<'restoreControlPlane'>): Promise<ClusterBackup> {
  const { deps, input } = step;
  const backups = await listClusterBackups(deps.db, input.vnfInstanceId);
  const chosen = (await readFact(step, 'restore'))?.backupId ?? input.backupId;
  const backup = chosen === undefined ? backups[0] : findBackup(backups, chosen);
  if (!backup) {
    throw new VnflowError('BACKUP_MISSING', {
      detail: `There is no backup of the cluster of VNF instance ${input.vnfInstanceId}: it cannot be restored.`,
    });
  }
  checkEndpoint(backup, await readFact(step, 'cluster'));
  await keepFacts(step, { restore: { backupId: backup.id } });
  return backup;
}

/** Every kubelet has the old address in its configuration: no node would find a cluster with another address. */
function checkEndpoint({ endpoint }: ClusterBackup, cluster: ClusterContext | undefined): void {
  if (cluster === undefined || cluster.endpoint === endpoint) return;
  throw new VnflowError('RESTORE_ENDPOINT_CHANGED', {
    detail: `The cluster was reached at ${endpoint}, and now would be at ${cluster.endpoint}: its nodes would not find it.`,
  });
}

async function restoreCluster(step: PhaseContext, backup: ClusterBackup): Promise<void> {
  const { id, revision } = backup;
  const file = `${DIRECTORY}/${id}`;
  await putBackup(step, { id, archive: await openBackup(step.deps, backup) });
  const restored = { id, file, revision, restoreId: step.input.vnfLcmOpOccId };
  try {
    await mintJoinCredentials(step, { kind: 'restoreControlPlane', backup: restored });
  } catch (error) {
    // when the session still works, the job has ended: the next attempt brings the file anew
    await execAsRoot(step.session, sudoCommand(['rm', '-f', file])).catch(() => undefined);
    throw error;
  }
}

async function openBackup({ backups }: ActivityDependencies, backup: ClusterBackup): Promise<Buffer> {
  try {
    return await backups.store.read(backup);
  } catch (error) {
    throw new VnflowError('BACKUP_UNREADABLE', {
      detail: `The backup of ${backup.takenAt.toISOString()} (${backup.id}) does not open under this master key.`,
      cause: error,
    });
  }
}

/** Writes a backup into a file on the node. @throws VnflowError NODE_COMMAND_TRANSIENT; as `execAsRoot` */
async function putBackup(
  context: NodeContext,
  { archive, id }: { readonly archive: Buffer; readonly id: string },
): Promise<void> {
  const { node, say } = context;
  say(`bringing the backup to ${node.nodeName}`);
  const file = { directory: DIRECTORY, name: id, content: archive, timeoutMs: PUT_TIMEOUT_MS };
  const refused = await putFile(context, file);
  if (refused === undefined) return;
  throw new VnflowError('NODE_COMMAND_TRANSIENT', {
    detail: `The backup could not be written on ${node.nodeName}.`,
    seen: refused.slice(-1000),
  });
}
