import { styleText } from 'node:util';
import { foreignText } from '../../domain/foreign-text.ts';
import { table } from '../table.ts';
import type { ClusterNodeStatus, ClusterStatus } from '../vnfm/contract.ts';
import { duration, secondsBetween } from './duration.ts';

/** Draws the status of an instance: head, nodes, etcd, backup, and what to do next. @param now since 1970, in ms */
export function statusLines(status: ClusterStatus, now: number): string[] {
  const { vnfInstanceId, vnfInstanceName, instantiationState, flavourId, operation, nodes, etcd, lastBackup } = status;
  const head = [
    styleText('bold', foreignText(vnfInstanceName ?? vnfInstanceId)),
    flavourId,
    instantiationState,
    vnfInstanceName === undefined ? undefined : vnfInstanceId,
    status.observedAt === undefined ? 'not asked now' : undefined,
  ];
  return [
    head.filter(Boolean).join('  '),
    ...(operation === undefined
      ? []
      : [`operation  ${operation.operation} ${operation.operationState}: vnflow watch ${operation.id}`]),
    ...(nodes.length === 0 ? [] : nodeTable(nodes, now)),
    ...(etcd === undefined
      ? []
      : [`etcd       ${etcd.healthy} of ${etcd.members} members answer, ${etcd.tolerates} more may fail`]),
    ...(lastBackup === undefined
      ? []
      : [`backup     ${ago(lastBackup.takenAt, now)}, ${Math.ceil(lastBackup.bytes / 1024)} KiB`]),
    ...(status.problem === undefined ? [] : [styleText('red', foreignText(status.problem))]),
  ];
}

/** 0 when every node is Ready and etcd has its majority, 1 when something is not as it should be. */
export function statusExitCode({ nodes, etcd, problem }: ClusterStatus): number {
  const bad = nodes.some(({ ready }) => ready?.status === false) || (etcd !== undefined && etcd.healthy < etcd.members);
  return problem !== undefined || bad ? 1 : 0;
}

function nodeTable(nodes: readonly ClusterNodeStatus[], now: number): string[] {
  const rows = nodes.map((node) =>
    [
      node.name,
      node.role,
      node.addresses.node || '-',
      readyWord(node, now),
      node.kubelet ?? '-',
      etcdWord(node),
      node.vnfcId ?? '-',
      node.serverId,
    ].map(foreignText),
  );
  return table(['NODE', 'ROLE', 'ADDRESS', 'READY', 'KUBELET', 'ETCD', 'VNFC', 'SERVER'], rows);
}

function readyWord({ ready, verdict }: ClusterNodeStatus, now: number): string {
  if (ready === undefined) return verdict === undefined ? '-' : verdict.is;
  if (ready.status) return 'yes';
  const since = ready.since === undefined ? '' : ` for ${duration(secondsBetween(ready.since, undefined, now))}`;
  return `NO: ${ready.reason ?? 'not Ready'}${since}`;
}

function etcdWord({ etcd }: ClusterNodeStatus): string {
  if (etcd === undefined) return '-';
  if (!etcd.healthy) return 'no answer';
  return etcd.voter ? 'votes' : 'learner';
}

function ago(time: string, now: number): string {
  return `${duration(secondsBetween(time, undefined, now))} ago`;
}
