import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { StepInput, StepInputOf } from '../../domain/operation/activity-contract.ts';
import type { StepKind } from '../../domain/steps/index.ts';
import type { ClusterContext } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { type ClusterNode, listControlPlane } from '../../store/cluster-nodes.ts';
import { secretName } from '../../store/secrets.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { onNode, REACH_SECONDS } from './node-session.ts';
import { runPhase } from './phase.ts';

interface Change {
  readonly kind: StepKind;
  readonly beat: Beat;
}

/** On every control-plane node but those of `out`: they are neither asked nor named. */
export async function changeOtherLoadBalancers(
  deps: ActivityDependencies,
  input: StepInputOf<'excludeFromLoadBalancers' | 'includeInLoadBalancers'>,
  { kind, beat }: Change,
): Promise<void> {
  const isOut = ({ slot }: ClusterNode) => input.out.includes(slot);
  const masters = await listControlPlane(deps.db, input.vnfInstanceId);
  const out = masters.filter(isOut).map(({ nodeName }) => nodeName);
  const there = masters.filter((node) => !isOut(node));
  await Promise.all(
    there.map(({ slot }) =>
      setUpLoadBalancer(deps, input, { kind, slot, beat, seenAs: (cluster) => without(cluster, out) }),
    ),
  );
}

/** While nodes are out keepalived is left alone: the virtual address finds its way by itself. */
function without({ controlPlanes, virtualIp, ...cluster }: ClusterContext, out: readonly string[]): ClusterContext {
  return {
    ...cluster,
    controlPlanes: controlPlanes.filter(({ name }) => !out.includes(name)),
    ...(virtualIp === undefined || out.length > 0 ? {} : { virtualIp }),
  };
}

/** HAProxy and keepalived on a control-plane node: the install script writes, checks, reloads and verifies them. */
export async function setUpLoadBalancer(
  deps: ActivityDependencies,
  input: StepInput,
  { kind, slot, beat, seenAs }: Change & { slot: string; seenAs?: (cluster: ClusterContext) => ClusterContext },
): Promise<void> {
  await onNode(deps, input, { slot, limitSeconds: REACH_SECONDS, beat }, async (access) => {
    const vrrpPassword = await vrrpPasswordOf(deps, input.vnfInstanceId);
    const phase = { kind, vrrpPassword, ...(seenAs ? { seenAs } : {}) };
    await runPhase(deps, input, { phase, access, beat });
  });
}

/** keepalived takes eight characters; all nodes of a cluster share them, whoever asks first. */
async function vrrpPasswordOf(deps: ActivityDependencies, vnfInstanceId: string): Promise<string> {
  const made = randomBytes(8).toString('hex').slice(0, 8);
  const name = secretName.vrrpPassword(vnfInstanceId);
  return z.string().parse(await writeAsAttempt(deps, ({ secrets }) => secrets.getOrPut(name, made, vnfInstanceId)));
}
