import { styleText } from 'node:util';
import type { Timeline } from '../vnfm/contract.ts';
import { CliFailure } from '../vnfm/failure.ts';
import type { DemoContext } from './demo-context.ts';
import { print } from './narration.ts';
import { runOnNode } from './run-on-node.ts';
import type { NodeLogin } from './sample.ts';

/** The command that an operator would type on a control-plane node. */
const GET_NODES = 'sudo kubectl --kubeconfig /etc/kubernetes/admin.conf get node -o wide';

export interface Look {
  /** Fixed address of the node. */
  readonly host: string;
  readonly login: NodeLogin;
  readonly command?: string;
}

/** Runs a command on a node, over SSH through the bastion, and prints its output. */
export async function lookAtNode(context: DemoContext, look: Look): Promise<void> {
  const { user, port } = context.simulator.bastion;
  const { host, login, command = GET_NODES } = look;
  print(styleText('dim', `$ ssh -J ${user}@127.0.0.1:${port} ${login.username}@${host} ${command}`));
  print(await runOnClusterNode(context, look));
}

/** @throws CliFailure when a login or the command fails */
export function runOnClusterNode(
  { simulator }: DemoContext,
  { host, login, command = GET_NODES }: Look,
): Promise<string> {
  const { username, password } = login;
  return runOnNode({ bastion: simulator.bastion, host, username, password }, command);
}

/**
 * Finds the node on which a step of this kind worked.
 * @param slot of the node; undefined: the node of the first such step
 */
export function showNode({ steps, id }: Timeline, kind: string, slot?: string): { name: string; address: string } {
  const node = steps.find((step) => step.kind === kind && (slot === undefined || step.slot === slot))?.node;
  if (!node?.name || !node.address) throw new CliFailure(`Operation ${id} does not show the node of its step ${kind}.`);
  return { name: node.name, address: node.address };
}
