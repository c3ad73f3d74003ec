import { VnflowError } from '../../domain/problems.ts';
import type { ExecOptions, ExecResult } from '../../ssh/exec.ts';
import { commandLine } from '../../ssh/quote.ts';
import type { SshSession } from '../../ssh/session.ts';

/**
 * The administrator's configuration, by its path: sudo's secure_path and a login's PATH differ between distributions.
 */
export const ADMIN = ['--kubeconfig', '/etc/kubernetes/admin.conf'] as const;

const DEFAULT_TIMEOUT_MS = 60_000;

interface KubectlOptions extends ExecOptions {
  /** Says of a result with another exit code than 0 whether it is an answer. */
  readonly accept?: (result: ExecResult) => boolean;
  /** What a failure means, as a sentence for people. Default: the command failed. */
  readonly failure?: string;
}

/**
 * Runs kubectl as the administrator on the control-plane node of the session.
 * @throws VnflowError CLUSTER_NOT_READY when kubectl fails
 */
export async function kubectl(
  { session, signal }: { readonly session: SshSession; readonly signal: AbortSignal },
  args: readonly string[],
  { accept = () => false, failure, ...options }: KubectlOptions = {},
): Promise<ExecResult> {
  const command = kubectlCommand([...ADMIN, ...args]);
  const name = `kubectl ${args[0] ?? ''}`;
  const result = await session.exec(command, { name, timeoutMs: DEFAULT_TIMEOUT_MS, signal, ...options });
  if (result.code === 0 || accept(result)) return result;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: failure ?? `kubectl ${args.join(' ')} failed on ${session.label}.`,
    seen: result.stderr.slice(-1000),
  });
}

/** @param args the configuration, and what kubectl does */
export function kubectlCommand(args: readonly string[]): string {
  return commandLine(['sudo', '-n', 'kubectl', ...args]);
}
