import { z } from 'zod';
import { VnflowError } from '../../domain/problems.ts';
import { parseSlot } from '../../domain/slot.ts';
import type { ClusterLook } from '../../domain/vnf-kinds/kubernetes-cluster/cluster-look.ts';
import { isMemberOf, type LiveMember, quorumOf } from '../../domain/vnf-kinds/kubernetes-cluster/quorum.ts';
import { listClusterBackups } from '../../store/cluster-backups.ts';
import { type ClusterNode, listClusterNodes } from '../../store/cluster-nodes.ts';
import { findOpenOperation } from '../../store/operations.ts';
import type { VnfInstanceRow } from '../../store/vnf-instances.ts';
import type { ApiContext } from '../dependencies.ts';
import { present } from '../http/present.ts';

/** What the answer takes from `instantiatedVnfInfo`. */
const Info = z.object({
  flavourId: z.string().optional(),
  vnfcResourceInfo: z
    .array(z.object({ id: z.string(), computeResource: z.object({ resourceId: z.string() }) }))
    .default([]),
  vnfcInfo: z.array(z.object({ id: z.string(), vnfcResourceInfoId: z.string().optional() })).default([]),
});

/**
 * Which server, VNFC and Kubernetes node are one: the nodes of an instance, and how they are.
 * @param look true: the cluster is asked now; false: the answer has only what the store knows
 */
export async function clusterAnswer(
  context: ApiContext,
  instance: VnfInstanceRow,
  { look }: { look: boolean },
): Promise<Record<string, unknown>> {
  const { db } = context;
  const [nodes, backups, operation] = await Promise.all([
    listClusterNodes(db, instance.id),
    listClusterBackups(db, instance.id),
    findOpenOperation(db, instance.id),
  ]);
  const info = Info.parse(instance.instantiatedVnfInfo ?? {});
  const seen = look && nodes.some(({ role }) => role === 'master') ? await lookNow(context, instance.id) : undefined;
  const vnfcIds = vnfcIdsByServer(info);
  const [last] = backups;
  return present({
    vnfInstanceId: instance.id,
    vnfInstanceName: instance.name,
    instantiationState: instance.instantiationState,
    flavourId: info.flavourId,
    operation: operation && {
      id: operation.id,
      operation: operation.operation,
      operationState: operation.operationState,
    },
    nodes: nodes.map((node) => nodeView(node, { vnfcId: vnfcIds.get(node.serverId), look: seen?.look })),
    etcd: seen?.look?.survey && etcdView(seen.look.survey.members),
    lastBackup: last && {
      id: last.id,
      takenAt: last.takenAt.toISOString(),
      nodeName: last.nodeName,
      bytes: last.bytes,
    },
    observedAt: seen?.look && new Date().toISOString(),
    problem: seen?.problem ?? seen?.look?.nodesProblem,
  });
}

/** By id of the server, the id that a heal takes: of `vnfcInfo` (SOL003 5.5.3.4, `HealVnfRequest`). */
function vnfcIdsByServer({ vnfcInfo, vnfcResourceInfo }: z.infer<typeof Info>): ReadonlyMap<string, string> {
  const ids = new Map(vnfcInfo.map(({ id, vnfcResourceInfoId }) => [vnfcResourceInfoId, id]));
  return new Map(vnfcResourceInfo.map(({ id, computeResource }) => [computeResource.resourceId, ids.get(id) ?? id]));
}

/** A cluster that does not answer has a status, too: what the store knows, and the problem. */
async function lookNow(
  { engine }: ApiContext,
  vnfInstanceId: string,
): Promise<{ readonly look?: ClusterLook; readonly problem?: string }> {
  try {
    return { look: await engine.look({ vnfInstanceId, drained: [], nodes: true }) };
  } catch (error) {
    if (error instanceof VnflowError) return { problem: error.message };
    throw error;
  }
}

function nodeView(
  node: ClusterNode,
  { vnfcId, look }: { vnfcId: string | undefined; look: ClusterLook | undefined },
): Record<string, unknown> {
  const { nodeName: name, role, slot, serverId, sshAddress, nicAddress } = node;
  const kubernetes = look?.nodes?.find((one) => one.name === name);
  const member = look?.survey?.members.find((one) => isMemberOf({ name, address: nicAddress }, one));
  const survey = look?.survey?.nodes.find((one) => one.slot === slot);
  return present({
    name,
    role,
    slot,
    vduId: parseSlot(slot).vduId,
    vnfcId,
    serverId,
    addresses: { ssh: sshAddress, node: nicAddress },
    ready: look?.nodes && {
      status: kubernetes?.ready ?? false,
      reason: reasonOf(kubernetes),
      since: kubernetes?.since,
    },
    kubelet: kubernetes?.kubelet,
    etcd: member && { memberId: member.id, voter: !member.learner, healthy: member.started && member.healthy },
    verdict: survey && { is: survey.verdict, seen: survey.seen },
  });
}

function reasonOf(node: { readonly ready: boolean; readonly reason?: string | undefined } | undefined) {
  if (node === undefined) return 'NotInCluster';
  return node.ready ? undefined : node.reason;
}

function etcdView(members: readonly LiveMember[]): Record<string, unknown> {
  const { voters, alive, needed } = quorumOf(members);
  return { members: voters, healthy: alive, majority: needed, tolerates: Math.max(0, alive - needed) };
}
