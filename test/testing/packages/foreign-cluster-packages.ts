import { createHash } from 'node:crypto';
import path from 'node:path';
import { packageFolders, preparedFiles } from '../foreign-checkout.ts';

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

/** Finds every package whose VNFD names Tacker's management driver for Kubernetes, complete and with true hashes. */
export function foreignClusters(checkout: string): ForeignCluster[] {
  return packageFolders(checkout).flatMap((folder) => {
    const files = preparedFiles(folder, checkout);
    const texts = [...files].filter(([name]) => /^Definitions\/.*\.ya?ml$/.test(name)).map(([, text]) => String(text));
    if (!texts.some((text) => text.includes(DRIVER))) return [];
    correctHashes(files);
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

/** Writes the hashes of the files into TOSCA.meta. */
function correctHashes(files: Map<string, Buffer>): void {
  const meta = String(files.get('TOSCA-Metadata/TOSCA.meta'))
    .split(/\n{2,}/)
    .map((block) => {
      const content = files.get(/^Name: (.*)$/m.exec(block)?.[1] ?? '');
      return content ? block.replace(/^Hash: .*$/m, `Hash: ${sha256(content)}`) : block;
    });
  files.set('TOSCA-Metadata/TOSCA.meta', Buffer.from(`${meta.join('\n\n').trimEnd()}\n`));
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
