import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Finds the folder that vnflow runs from. Node.js runs no TypeScript below `node_modules`, so the sources of a package
 * that npm has installed are copied once, beside a link to what npm has installed with them.
 * @param {string} project the folder of the sources
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} the project itself, unless npm has installed it
 */
export function runnableFolder(project, env = process.env) {
  if (!project.split(path.sep).includes('node_modules')) return project;
  const cache = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache');
  const folder = path.join(cache, 'vnflow', buildOf(project));
  const dependencies = dependenciesOf(project);
  if (existsSync(folder) && linkOf(folder) === dependencies) return folder;
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  cpSync(project, fresh, { recursive: true, filter: (file) => file !== path.join(project, 'node_modules') });
  symlinkSync(dependencies, path.join(fresh, 'node_modules'), 'dir');
  rmSync(folder, { recursive: true, force: true }); // of an installation that is somewhere else now
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (linkOf(folder) !== dependencies) throw error; // else another process was faster
  }
  return folder;
}

/** The name of the build, which `npm pack` has written. @param {string} project */
function buildOf(project) {
  return JSON.parse(readFileSync(path.join(project, 'build.json'), 'utf8')).build;
}

/** npm puts the dependencies into the package when it installs globally, and beside it in a project. @param {string} project */
function dependenciesOf(project) {
  const own = path.join(project, 'node_modules');
  return existsSync(path.join(own, 'commander')) ? own : path.dirname(project);
}

/** @param {string} folder */
function linkOf(folder) {
  try {
    return readlinkSync(path.join(folder, 'node_modules'));
  } catch {
    return undefined;
  }
}
