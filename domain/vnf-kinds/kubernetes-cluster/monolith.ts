import type { Plan } from '../../operation/plan.ts';
import { VnflowError } from '../../problems.ts';
import type { StepKind } from '../../steps/index.ts';
import type { ClusterShape } from './shape.ts';

/**
 * What a script of Tacker's contract runs in a step, for people to read. The steps are those of any cluster: in most of
 * them the script has nothing to do, because it does everything when the node joins.
 */
export const MONOLITH_COMMANDS: { readonly [K in StepKind]?: readonly string[] } = {
  prepareNode: ['wait for cloud-init; check the name of the node and the package repository of the script'],
  loadBalancer: ['nothing: the script sets up HAProxy and keepalived when the node joins'],
  initControlPlane: ['bash {script} -m MASTERS -i CLUSTER_IP -p POD_CIDR -a SERVICE_CIDR'],
  installCni: ['kubectl wait --for=condition=Ready node: the script has installed the network'],
  joinControlPlane: ['bash {script} -m MASTERS -i CLUSTER_IP -p POD_CIDR -a SERVICE_CIDR -t … -s … -k …'],
  joinWorker: ['bash {script} -w NODE_IP -i CLUSTER_IP -t … -s …'],
  excludeFromLoadBalancers: ['lines of /etc/haproxy/haproxy.cfg; systemctl reload-or-restart haproxy'],
  includeInLoadBalancers: ['lines of /etc/haproxy/haproxy.cfg; systemctl reload-or-restart haproxy'],
};

/**
 * The script sets up the load balancer when it is given several control-plane nodes, and only then.
 * @throws VnflowError BAD_REQUEST
 */
export function checkMonolithShape({ controlPlane, loadBalanced }: ClusterShape): void {
  if (controlPlane.count > 1 || !loadBalanced) return;
  throw new VnflowError('BAD_REQUEST', {
    detail:
      'additionalParams.k8s_cluster_installation_param.master_node.cluster_cp_name: a script of Tacker sets up no virtual IP for a single control-plane node; name the port of the node.',
  });
}

/**
 * A script of Tacker only makes new clusters. It cannot bring a cluster back from a backup.
 * @throws VnflowError RESTORE_NOT_POSSIBLE
 */
export function checkMonolithPlan({ steps }: Plan): void {
  if (!steps.some(({ kind }) => kind === 'restoreControlPlane')) return;
  throw new VnflowError('RESTORE_NOT_POSSIBLE', {
    detail:
      'Nothing was touched: the cluster would have to be restored from a backup, and the install script of its package (contract of Tacker) has no phase for that.',
  });
}
