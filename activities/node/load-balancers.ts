import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { StepKind } from '../../domain/steps/index.ts';
import type { ClusterContext } from '../../domain/vnf-kinds/kubernetes-cluster/phase-environment.ts';
import { type ClusterNode, listControlPlane } from '../../store/cluster-nodes.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { StepContext } from '../step-context.ts';
import { onNode } from './node-session.ts';
import { runPhase } from './phase.ts';

interface Change {
  readonly kind: StepKind;
  /** Slots of the control-plane nodes that the load balancers must not name. They are not visited either. */
  readonly out: readonly string[];
}

/** Sets up the load balancers of all control-plane nodes but those that are out. */
export async function changeOtherLoadBalancers(step: StepContext, { kind, out: slots }: Change): Promise<void> {
  const isOut = ({ slot }: ClusterNode) => slots.includes(slot);
  const masters = await listControlPlane(step.deps.db, step.input.vnfInstanceId);
  const out = masters.filter(isOut).map(({ nodeName }) => nodeName);
  const there = masters.filter((node) => !isOut(node));
  const seenAs = (cluster: ClusterContext) => leaveOutNodes(cluster, out);
  await Promise.all(there.map(({ slot }) => setUpLoadBalancer(step, { kind, slot, seenAs })));
}

/**
 * While nodes are out, the virtual address is left out, so that keepalived is not changed: it moves the address by
 * itself.
 */
function leaveOutNodes(
  { controlPlanes, virtualIp, ...cluster }: ClusterContext,
  out: readonly string[],
): ClusterContext {
  return {
    ...cluster,
    controlPlanes: controlPlanes.filter(({ name }) => !out.includes(name)),
    ...(virtualIp === undefined || out.length > 0 ? {} : { virtualIp }),
  };
}

interface SetUp extends Pick<Change, 'kind'> {
  readonly slot: string;
  /** The cluster as the load balancer shall see it. Default: as it was discovered. */
  readonly seenAs?: (cluster: ClusterContext) => ClusterContext;
}

/**
 * Sets up HAProxy and keepalived on a control-plane node: the install script writes, checks, reloads and verifies them.
 */
export async function setUpLoadBalancer(step: StepContext, { kind, slot, seenAs }: SetUp): Promise<void> {
  await onNode(step, { slot }, async (node) => {
    const vrrpPassword = await readVrrpPassword(step);
    await runPhase(node, { kind, vrrpPassword, ...(seenAs ? { seenAs } : {}) });
  });
}

/**
 * The password of keepalived, which takes eight characters. All nodes of a cluster share it: the first step makes it.
 */
async function readVrrpPassword({ deps, input }: StepContext): Promise<string> {
  const { vnfInstanceId: owner } = input;
  const made = randomBytes(8).toString('hex').slice(0, 8);
  const name = secretName.vrrpPassword(owner);
  return z.string().parse(await writeAsAttempt(deps, ({ secrets }) => secrets.getOrPut(name, made, owner)));
}
