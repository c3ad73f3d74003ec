import path from 'node:path';
import type { StepKind } from '../../domain/steps/index.ts';
import { stepFacts } from '../../domain/steps/index.ts';

export interface CommandFacts {
  readonly vnfInstanceId: string;
  /** Path of the install script in the package; absent where no script runs (terminate). */
  readonly scriptPath?: string | undefined;
}

const STACK = 'stacks/vnf-{id}';

/** Steps that do not run the install script: what they ask of whom. */
const CALLS: Readonly<Partial<Record<StepKind, readonly string[]>>> = {
  applyStack: ['Heat: POST stacks (stack_name vnf-{id})', `Heat: GET ${STACK} until CREATE_COMPLETE`],
  discover: [
    `Heat: GET ${STACK}/resources?nested_depth=2`,
    'Neutron: GET ports, subnets and floating IPs of the nodes',
    'Nova: GET console output (host keys)',
  ],
  verifyCluster: ['kubectl get nodes'],
  registerVim: [
    'kubectl apply -f - (ServiceAccount, ClusterRoleBinding and token Secret vnflow-vim)',
    'kubectl --namespace kube-system get secret vnflow-vim -o json (its token is sealed in the store)',
    'curl https://ENDPOINT/api/v1/namespaces (with the token)',
  ],
  snapshotEtcd: [
    'crictl exec ETCD etcdctl snapshot save',
    'crictl exec ETCD etcdctl snapshot status',
    'read the snapshot and the keys in /etc/kubernetes/pki, seal them in the store',
  ],
  stopServers: ['Nova: POST servers/SERVER/action (os-stop)', 'Nova: GET servers/SERVER until it is SHUTOFF, or gone'],
  recallNodes: [
    'kubectl get nodes',
    'kubectl delete node NODE (those that the cluster has no more)',
    'systemctl restart kubelet (on nodes that do not come back by themselves)',
  ],
  scheduleSnapshots: ['Temporal: create schedule snapshots/{id}'],
  growStack: [`Heat: PATCH ${STACK} (one more nested stack per worker)`, `Heat: GET ${STACK} until UPDATE_COMPLETE`],
  removeWorkers: [
    'kubectl cordon NODE',
    'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data',
    'kubectl delete node NODE',
  ],
  shrinkStack: [`Heat: PATCH ${STACK} (without the workers)`, `Heat: GET ${STACK} until UPDATE_COMPLETE`],
  removeControlPlane: [
    'etcdctl member list, endpoint health (on a control-plane node that stays)',
    'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data, kubectl delete node NODE',
    'etcdctl member remove ID (only with a majority before and after)',
  ],
  replaceServers: [
    'Nova: DELETE servers/SERVER (its ports, addresses and volumes stay)',
    'Heat: PATCH stacks/NESTED/resources/SERVER (mark_unhealthy)',
    `Heat: PATCH ${STACK}`,
    `Heat: GET ${STACK} until UPDATE_COMPLETE`,
  ],
  recreateStack: [
    `Heat: GET ${STACK}/template, files`,
    `Heat: DELETE ${STACK}`,
    'Heat: POST stacks (stack_name vnf-{id})',
    `Heat: GET ${STACK} until CREATE_COMPLETE`,
  ],
  deleteStack: [`Heat: DELETE ${STACK}`, `Heat: GET ${STACK} until it is gone`],
};

/** What a step would run on its node, or call, for people to read. Parameters go through a file, so they are not here. */
export function stepCommands(kind: StepKind, { vnfInstanceId, scriptPath = '' }: CommandFacts): string[] {
  const { phase } = stepFacts(kind);
  if (phase !== undefined) return [`bash ${path.posix.basename(scriptPath)} ${phase}`];
  return (CALLS[kind] ?? []).map((call) => call.replace('{id}', vnfInstanceId));
}
