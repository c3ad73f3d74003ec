import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

/** A file system of its own for a folder, so that it can be full while the rest of the machine has room. */
export interface SmallDisk {
  /** Leaves no free block. @returns makes room again @throws Error when the file system grows all the time */
  fill(): () => void;
  /** Takes the file system away, with all that is in it. */
  remove(): void;
}

const ROOM = '1g';
const ATTEMPTS = 20;

/**
 * Mounts a file system in memory on a folder. It takes memory for what is stored there, and not for its size.
 * @returns undefined where this process may not mount: only root may
 */
export function mountSmallDisk(directory: string): SmallDisk | undefined {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return undefined;
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'vnflow-faults', directory], { stdio: 'ignore' });
  try {
    mount(`size=${ROOM},mode=0700`);
  } catch {
    return undefined; // a container without the right to mount
  }
  return {
    fill: () => {
      // between the look and the change others write: a size below what is used is refused
      for (let attempt = 1; ; attempt++) {
        const { blocks, bfree, bsize } = statfsSync(directory);
        try {
          mount(`remount,size=${Math.max(1, blocks - bfree) * bsize}`); // 0 would be no limit
          return () => void mount(`remount,size=${ROOM}`);
        } catch (error) {
          if (attempt === ATTEMPTS) throw error;
        }
      }
    },
    // the processes that used it have been stopped; a file that is still open does not matter
    remove: () => void execFileSync('umount', ['--lazy', directory], { stdio: 'ignore' }),
  };
}
