import type { StepInput, StepInputOf } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { findBackup } from '../../domain/vnf-kinds/kubernetes-cluster/chosen-backup.ts';
import type { ClusterContext } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { JOB_ROOT } from '../../ssh/job-commands.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterBackup, listClusterBackups } from '../../store/cluster-backups.ts';
import { keepOperationFacts, readOperationFact } from '../../store/operations.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { mintJoinCredentials } from '../node/join-credentials.ts';
import { type NodeAccess, onNode, REACH_SECONDS } from '../node/node-session.ts';
import { seeFenced } from '../stack/fenced-servers.ts';
import type { StepContextOf } from '../step-context.ts';

const PUT_TIMEOUT_MS = 600_000;
const DIRECTORY = `${JOB_ROOT}/restore`;

/** Standard input: the backup. It has its name only when it is whole. */
const PUT = `umask 077
directory=$1 id=$2
mkdir -p "$directory" && chmod 700 "$directory" || exit 1
cat > "$directory/$id.part" && mv "$directory/$id.part" "$directory/$id"
`;

/** The cluster of a backup, on one control-plane node. */
export async function restoreControlPlane(step: StepContextOf<'restoreControlPlane'>): Promise<undefined> {
  const { deps, input } = step;
  const backup = await chosenBackup(deps, input);
  await seeFenced(deps, input, step);
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async (access) => {
    await restore(deps, input, { access, beat: step, backup });
  });
}

/** The one that the request names, or the newest when the step first looked: a retry goes on with the same. */
async function chosenBackup(
  deps: ActivityDependencies,
  input: StepInputOf<'restoreControlPlane'>,
): Promise<ClusterBackup> {
  const backups = await listClusterBackups(deps.db, input.vnfInstanceId);
  const chosen = (await readOperationFact(deps.db, input.vnfLcmOpOccId, 'restore'))?.backupId ?? input.backupId;
  const backup = chosen === undefined ? backups[0] : findBackup(backups, chosen);
  if (!backup) {
    throw new VnflowError('BACKUP_MISSING', {
      detail: `There is no backup of the cluster of VNF instance ${input.vnfInstanceId}: it cannot be restored.`,
    });
  }
  checkEndpoint(backup, await readOperationFact(deps.db, input.vnfLcmOpOccId, 'cluster'));
  await keepOperationFacts(deps.db, input.vnfLcmOpOccId, { restore: { backupId: backup.id } });
  return backup;
}

/** Every kubelet has the old address in its configuration: at another one nobody would come back. */
function checkEndpoint({ endpoint }: ClusterBackup, cluster: ClusterContext | undefined): void {
  if (cluster === undefined || cluster.endpoint === endpoint) return;
  throw new VnflowError('RESTORE_ENDPOINT_CHANGED', {
    detail: `The cluster was reached at ${endpoint}, and now would be at ${cluster.endpoint}: its nodes would not find it.`,
  });
}

interface Restoring {
  readonly access: NodeAccess;
  readonly beat: Beat;
  readonly backup: ClusterBackup;
}

async function restore(deps: ActivityDependencies, input: StepInput, { access, beat, backup }: Restoring) {
  const file = `${DIRECTORY}/${backup.id}`;
  await putBackup(access, { archive: await unsealed(deps, backup), id: backup.id, beat });
  const restored = { id: backup.id, file, revision: backup.revision, restoreId: input.vnfLcmOpOccId };
  const phase = { kind: 'restoreControlPlane', backup: restored } as const;
  try {
    await mintJoinCredentials(deps, input, { phase, access, beat });
  } catch (error) {
    // while the session lives, the job has ended: the next attempt brings the file again
    await execAsRoot(access.session, sudoCommand(['rm', '-f', file])).catch(() => undefined);
    throw error;
  }
}

async function unsealed(deps: ActivityDependencies, backup: ClusterBackup): Promise<Buffer> {
  try {
    return await deps.backups.store.read(backup);
  } catch (error) {
    throw new VnflowError('BACKUP_UNREADABLE', {
      detail: `The backup of ${backup.takenAt.toISOString()} (${backup.id}) does not open under this master key.`,
      cause: error,
    });
  }
}

async function putBackup(
  { session, node }: NodeAccess,
  { archive, id, beat }: { archive: Buffer; id: string; beat: Beat },
): Promise<void> {
  beat.say(`bringing the backup to ${node.nodeName}`);
  const { code, stderr } = await execAsRoot(session, sudoCommand(['sh', '-c', PUT, 'vnflow', DIRECTORY, id]), {
    stdin: archive,
    signal: beat.signal,
    timeoutMs: PUT_TIMEOUT_MS,
  });
  if (code === 0) return;
  throw new VnflowError('NODE_COMMAND_TRANSIENT', {
    detail: `The backup could not be written on ${node.nodeName}.`,
    seen: stderr.slice(-1000),
  });
}
