import type { SimNode } from '../../world/world.ts';
import type { CommandContext } from '../shell/command.ts';

export const DPKG_LOCK = '/var/lib/dpkg/lock-frontend';
export const LISTS_LOCK = '/var/lib/apt/lists/lock';

interface Holder {
  readonly pid: number;
  readonly name: string;
}

/** Returns the process that holds a lock: apt, dpkg, or a flock on the path. Undefined when the lock is free. */
export function lockHolder(node: SimNode, path: string, except = 0): Holder | undefined {
  if (!node.locks.has(path)) return undefined;
  const holder = [...node.processes.values()].find(({ pid, argv }) => {
    const name = argv[0] ?? '';
    return pid !== except && (/^(apt|apt-get|dpkg)$/.test(name) || (name === 'flock' && argv.includes(path)));
  });
  return { pid: holder?.pid ?? 1, name: holder?.argv[0] ?? 'unattended-upgr' };
}

/**
 * Runs `work` while holding the lock.
 * @param wait seconds to wait for another holder; negative: for ever
 * @returns the result of `work`, or the process that holds the lock
 */
export async function withLock<T>(
  context: CommandContext,
  path: string,
  { wait, work }: { readonly wait: number; readonly work: () => Promise<T> },
): Promise<{ readonly done: T } | { readonly heldBy: Holder }> {
  const { node, world, pid } = context;
  const limit = wait < 0 ? Number.POSITIVE_INFINITY : world.clock.elapsed() + wait;
  for (let holder = node.locks.get(path); holder; holder = node.locks.get(path)) {
    const left = limit - world.clock.elapsed();
    if (left <= 0) return { heldBy: lockHolder(node, path, pid) ?? { pid: 1, name: 'unattended-upgr' } };
    await Promise.race([holder, context.sleep(Math.min(left, 3600))]);
  }
  let release = () => {};
  node.locks.set(
    path,
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  try {
    return { done: await work() };
  } finally {
    node.locks.delete(path);
    release();
  }
}
