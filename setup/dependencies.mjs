import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './npm.mjs';
import { withProgress } from './progress.mjs';

/**
 * Are the packages of package-lock.json installed? Without one, vnflow itself was installed by npm, and they with it.
 * @param {string} project
 */
export function areDependenciesPresent(project) {
  if (!existsSync(path.join(project, 'package-lock.json'))) return true;
  const stamp = stampFile(project);
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === lockDigest(project);
  if (!wereInstalledByHand(project)) return false;
  writeFileSync(stamp, lockDigest(project));
  return true;
}

/**
 * Installs the packages of package-lock.json.
 * @param {string} project
 * @param {string} node the Node binary that runs npm
 * @param {NodeJS.ProcessEnv} env
 * @throws {Error} with the messages of npm
 */
export async function installDependencies(project, node, env) {
  await withProgress('Installing the dependencies of package-lock.json (npm ci)', async () => {
    await npm(node, ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: project, env });
    writeFileSync(stampFile(project), lockDigest(project));
  });
}

/** The stamp lies in node_modules, so that it is removed together with node_modules. @param {string} project */
function stampFile(project) {
  return path.join(project, 'node_modules', '.vnflow-lock-digest');
}

/** @param {string} project */
function lockDigest(project) {
  return createHash('sha256')
    .update(readFileSync(path.join(project, 'package-lock.json')))
    .digest('hex');
}

/** Has npm installed the versions of our lockfile? npm writes a list of what it installed. @param {string} project */
function wereInstalledByHand(project) {
  const left = path.join(project, 'node_modules', '.package-lock.json');
  if (!existsSync(left)) return false;
  const installed = JSON.parse(readFileSync(left, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([place, { version, optional }]) => place === '' || optional || installed[place]?.version === version,
  );
}
