import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A package for a Kubernetes cluster in a checkout of somebody's packages, made complete. */
export interface ForeignCluster {
  /** Its folder in the checkout. */
  readonly name: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly flavours: readonly string[];
  /** The version of the API that its user data is for: one with a scaling group per VDU is for version 1. */
  readonly api: 1 | 2;
}

const DRIVER = 'mgmt-drivers-kubernetes';
/** The image that packages leave out, because it is large. No node reads it: the simulator boots by the name. */
const IMAGE = Buffer.from('image\n');

/**
 * Finds every package whose VNFD names Tacker's management driver for Kubernetes, and completes it as its author's
 * instructions do: definitions that packages share, scripts that lie beside the package, an image, and the hashes.
 */
export function foreignClusters(checkout: string): ForeignCluster[] {
  const all = readdirSync(checkout, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const folders = all.filter(({ name }) => name === 'TOSCA.meta').map(({ parentPath }) => path.dirname(parentPath));
  return folders.flatMap((folder) => {
    const files = filesOf(folder);
    const texts = [...files].filter(([name]) => /^Definitions\/.*\.ya?ml$/.test(name)).map(([, text]) => String(text));
    if (!texts.some((text) => text.includes(DRIVER))) return [];
    complete(files, { checkout, folder });
    const flavours = texts.flatMap((text) => /^ {6}flavour_id: (\w+)$/m.exec(text)?.[1] ?? []);
    const api = [...files.values()].some((file) => file.includes('OS::Heat::AutoScalingGroup')) ? 1 : 2;
    return [{ name: path.relative(checkout, folder), files, flavours, api }];
  });
}

/** The package with another script in the place of its own, and the hash of that script. */
export function withScript({ files, ...others }: ForeignCluster, script: Buffer): ForeignCluster {
  const changed = new Map(files).set('Scripts/install_k8s_cluster.sh', script);
  correctHashes(changed);
  return { ...others, files: changed };
}

function complete(files: Map<string, Buffer>, { checkout, folder }: { checkout: string; folder: string }): void {
  const shared = path.join(checkout, 'samples/tests/functional/sol_v2_common/common');
  const userData = path.join(checkout, 'tacker/sol_refactored/infra_drivers/openstack/userdata_standard.py');
  for (const [name, content] of existsSync(shared) ? filesOf(shared) : [])
    if (!files.has(name)) files.set(name, content);
  if (![...files.keys()].some((name) => name.startsWith('UserData/')) && existsSync(userData)) {
    files.set('UserData/userdata_standard.py', readFileSync(userData));
  }
  for (const [, name = ''] of String(files.get('TOSCA-Metadata/TOSCA.meta')).matchAll(/^Name: (.*)$/gm)) {
    const beside = path.join(folder, '..', path.basename(name));
    if (files.has(name)) continue;
    files.set(name, existsSync(beside) ? readFileSync(beside) : IMAGE);
  }
  correctHashes(files);
}

/** Writes the hashes of the files into TOSCA.meta, and the hash of the image into the VNFD. */
function correctHashes(files: Map<string, Buffer>): void {
  const meta = String(files.get('TOSCA-Metadata/TOSCA.meta'))
    .split(/\n{2,}/)
    .map((block) => {
      const content = files.get(/^Name: (.*)$/m.exec(block)?.[1] ?? '');
      return content ? block.replace(/^Hash: .*$/m, `Hash: ${digest('sha256', content)}`) : block;
    });
  files.set('TOSCA-Metadata/TOSCA.meta', Buffer.from(`${meta.join('\n\n').trimEnd()}\n`));
  for (const [name, content] of files) {
    if (!name.startsWith('Definitions/')) continue;
    const hashed = String(content).replaceAll(/^(\s+hash: ).*$/gm, `$1${digest('sha512', IMAGE)}`);
    files.set(name, Buffer.from(hashed));
  }
}

const digest = (algorithm: string, content: Buffer) => createHash(algorithm).update(content).digest('hex');

function filesOf(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file)];
    }),
  );
}
