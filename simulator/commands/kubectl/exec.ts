import { etcdContainer, etcdctl } from '../etcdctl.ts';
import { failure, type Output } from '../shell/command.ts';
import type { Scope } from './scope.ts';

/** Runs `kubectl exec etcd-NODE -- etcdctl …`; no other container runs programs. */
export async function exec(
  operands: readonly string[],
  command: readonly string[],
  { context, connection }: Scope,
): Promise<Output> {
  const [target = '', ...after] = operands;
  const pod = target.replace(/^pods?\//, '');
  const argv = command.length > 0 ? command : after;
  const member = connection.cluster.etcd.members.find(({ name }) => pod === `etcd-${name}`);
  const host = member && context.world.nodes.get(member.server);
  if (!member || !host) return failure(1, `Error from server (NotFound): pods "${pod}" not found`);
  if (argv[0] !== 'etcdctl')
    return failure(
      126,
      `error: Internal error occurred: exec failed: unable to start container process: exec: "${argv[0] ?? ''}": executable file not found in $PATH: unknown`,
    );
  const result = await etcdctl(argv.slice(1), context, etcdContainer(host));
  const code = result.exitCode ?? 0;
  return code === 0
    ? result
    : { ...result, stderr: `${result.stderr ?? ''}command terminated with exit code ${code}\n`, exitCode: code };
}
