import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from './paths.mjs';

/**
 * `npm pack` runs this before (`write`) and after it (`remove`): a package has no git repository that names its build.
 */
const FILE = path.join(PROJECT, 'build.json');

const tasks = {
  write: () => writeFileSync(FILE, `${JSON.stringify({ build: nameBuild() })}\n`),
  remove: () => rmSync(FILE, { force: true }),
};

/** Version and commit; of sources that are not committed, also the time, so that two builds never share a name. */
function nameBuild() {
  const { version } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8'));
  const git = (...args) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
  const isClean = git('status', '--porcelain') === '';
  return `${version}+${git('rev-parse', '--short=12', 'HEAD')}${isClean ? '' : `.${Date.now()}`}`;
}

const task = tasks[process.argv[2] ?? ''];
if (task) task();
