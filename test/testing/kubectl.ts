import { sshExec } from '../../simulator/index.ts';
import type { System } from './system.ts';

/**
 * Runs kubectl as an operator types it on a control-plane node.
 * @returns its stdout
 * @throws Error with its stderr when it fails
 */
export async function runKubectl(
  { nodes }: Pick<System['simulator'], 'nodes'>,
  args: string,
  stdin = '',
): Promise<string> {
  const master = nodes.list().find(({ hostname }) => hostname.startsWith('master'));
  const command = `sudo kubectl --kubeconfig /etc/kubernetes/admin.conf ${args}`;
  const { code, stdout, stderr } = await sshExec(nodes, master?.addresses[0] ?? '', { command, stdin });
  if (code !== 0) throw new Error(`kubectl ${args}: ${stderr}`);
  return stdout;
}
