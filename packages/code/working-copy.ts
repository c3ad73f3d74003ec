import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The runner, and the modules that scripts written for Tacker import. */
const PYTHON = fileURLToPath(new URL('python', import.meta.url));

/** A directory for one run of package code. */
export interface WorkingCopy {
  /** The files of the package. The code may change them. */
  readonly packageDir: string;
  /** An empty directory. */
  readonly home: string;
  /** The program that runs the code. */
  readonly runner: string;
  remove(): Promise<void>;
}

export interface WorkingCopySources {
  /** By path in the package. A CSAR that was onboarded has no path that leads out. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The flavours of the VNFD as JSON: the VNFD and the templates of each. */
  readonly flavours: unknown;
  /** The user that the copy belongs to. Undefined: the user of this process. */
  readonly user: number | undefined;
}

/** Writes a package, and what its code needs, into a new directory that only its user can enter. */
export async function makeWorkingCopy({ files, flavours, user }: WorkingCopySources): Promise<WorkingCopy> {
  const root = await mkdtemp(path.join(tmpdir(), `vnflow-package-code-${process.pid}-`));
  const copy: WorkingCopy = {
    packageDir: path.join(root, 'package'),
    home: path.join(root, 'home'),
    runner: path.join(root, 'python', 'run_package_code.py'),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
  try {
    await cp(PYTHON, path.join(root, 'python'), { recursive: true, filter: (file) => !file.endsWith('__pycache__') });
    await mkdir(copy.home);
    await mkdir(copy.packageDir);
    for (const [name, content] of files) {
      const file = path.join(copy.packageDir, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content, { flag: 'wx' });
    }
    await writeFile(path.join(root, 'flavours.json'), JSON.stringify(flavours));
    await giveTo(root, user);
    return copy;
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

async function giveTo(root: string, user: number | undefined): Promise<void> {
  if (user === undefined) return;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    await chmod(file, entry.isDirectory() ? 0o700 : 0o600);
    await chown(file, user, user);
  }
  await chown(root, user, user);
}
