import { createHash } from 'node:crypto';
import type { HandmadeEntry } from './handmade-zip.ts';

const TOSCA_META = `TOSCA-Meta-File-Version: 1.0
CSAR-Version: 1.1
Created-By: test
Entry-Definitions: Definitions/vnfd.yaml
ETSI-Entry-Manifest: small.mf
`;

const VNFD = `tosca_definitions_version: tosca_simple_yaml_1_2
topology_template:
  substitution_mappings:
    node_type: company.provider.VNF
    properties: { flavour_id: simple }
  node_templates:
    VNF:
      type: company.provider.VNF
      properties:
        descriptor_id: b1bb0ce7-ebca-4fa7-95ed-4840d70a1177
        descriptor_version: '1.0'
        provider: Company
        product_name: Small VNF
        software_version: '2.0'
    masterNode:
      type: tosca.nodes.nfv.Vdu.Compute
      properties:
        sw_image_data:
          name: masterNode-image
          version: '22.04'
          checksum: { algorithm: sha-512, hash: aa6e }
          container_format: bare
          disk_format: qcow2
          min_disk: 0 GB
          size: 2 GB
      artifacts:
        sw_image: { type: tosca.artifacts.nfv.SwImage, file: ../Files/images/node.img }
`;

export const SCRIPT = '#!/bin/bash\necho hello\n';

/** The smallest valid package, with an image, and a script whose hash the manifest has. */
export const SMALL_PACKAGE: Readonly<Record<string, string>> = {
  'TOSCA-Metadata/TOSCA.meta': TOSCA_META,
  'Definitions/vnfd.yaml': VNFD,
  'BaseHOT/simple/top.yaml': 'heat_template_version: 2013-05-23\nresources: {}\n',
  'Scripts/install.sh': SCRIPT,
  'Files/images/node.img': 'not really an image',
  'small.mf': `metadata:\nvnf_product_name: Small VNF\n\n${block('Scripts/install.sh', 'SHA-256', sha('sha256', SCRIPT))}`,
};

export function block(source: string, algorithm: string, hash: string): string {
  return `Source: ${source}\nAlgorithm: ${algorithm}\nHash: ${hash}\n`;
}

export function sha(algorithm: string, content: string | Buffer): string {
  return createHash(algorithm).update(content).digest('hex');
}

/** Entries of the small package, with files replaced, added, or (undefined) taken away. */
export function smallPackage(changes: Readonly<Record<string, string | undefined>> = {}): HandmadeEntry[] {
  return Object.entries({ ...SMALL_PACKAGE, ...changes }).flatMap(([name, content]) =>
    content === undefined ? [] : [{ name, content }],
  );
}
