import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GIT_LIMIT_MS = 2_000;

/**
 * The name of the build that runs: version and git commit, for example `0.1.0+5e2a3937c1d0`. `npm pack` writes it into
 * its package. Without that and a git repository, as in a container, it is the version alone: then `VNFLOW_BUILD_ID`
 * should name the build.
 */
export function readBuildId(): string {
  const packed = path.join(ROOT, 'build.json');
  if (existsSync(packed)) return (JSON.parse(readFileSync(packed, 'utf8')) as { build: string }).build;
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const commit = readCommit();
  return commit === undefined ? version : `${version}+${commit}`;
}

function readCommit(): string | undefined {
  if (!existsSync(path.join(ROOT, '.git'))) return undefined; // else git would take a repository around this folder
  try {
    const answer = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_LIMIT_MS,
    });
    return answer.trim();
  } catch {
    return undefined; // there is no git, or it does not trust the owner of the folder
  }
}
