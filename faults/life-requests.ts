import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Flavour } from './life-scenario.ts';
import type { InstanceBody, Version } from './vnfm.ts';

/** What each VNF is made from, and what its servers and its scaling aspect are called. */
const SAMPLES: Readonly<
  Record<
    Flavour,
    {
      readonly request: string;
      readonly package: 'plain' | 'cluster' | 'registry';
      readonly vdu: string;
      readonly aspect: string;
    }
  >
> = {
  plain: { request: 'instantiate-plain', package: 'plain', vdu: 'web', aspect: 'web_scale' },
  cluster: { request: 'instantiate-simple', package: 'cluster', vdu: 'workerNode', aspect: 'workerNode_scale' },
  ha: { request: 'instantiate-complex', package: 'cluster', vdu: 'workerNode', aspect: 'workerNode_scale' },
  registry: { request: 'instantiate-private-registry', package: 'registry', vdu: 'PrivateRegistryVDU', aspect: '' },
};
export const CONTROL_PLANE = 'masterNode';

export const packageOf = (flavour: Flavour): 'plain' | 'cluster' | 'registry' => SAMPLES[flavour].package;
export const vduOf = (flavour: Flavour): string => SAMPLES[flavour].vdu;

const Request = z.looseObject({
  vimConnectionInfo: z.record(z.string(), z.looseObject({ interfaceInfo: z.looseObject({}) })),
  additionalParams: z.looseObject({
    k8s_cluster_installation_param: z.looseObject({ vim_name: z.string().optional() }).optional(),
  }),
  extVirtualLinks: z.array(
    z.looseObject({ extCps: z.array(z.looseObject({ cpConfig: z.record(z.string(), z.unknown()) })) }),
  ),
});

/** The request of the guide, in either version of the API, for the simulated cloud. */
export function instantiateBody(flavour: Flavour, version: Version, authUrl: string): object {
  const file = new URL(`../samples/requests/${SAMPLES[flavour].request}.json`, import.meta.url);
  const request = Request.parse(JSON.parse(readFileSync(file, 'utf8')));
  const cluster = request.additionalParams.k8s_cluster_installation_param;
  if (cluster?.vim_name !== undefined) cluster.vim_name = `faults-${randomUUID()}`;
  for (const vim of Object.values(request.vimConnectionInfo)) vim.interfaceInfo['endpoint'] = authUrl;
  return version === 'v2' ? request : asVersion1(request);
}

/** Version 1 has arrays where version 2 has maps, and another word for OpenStack. */
function asVersion1(request: z.infer<typeof Request>): object {
  return {
    ...request,
    vimConnectionInfo: Object.values(request.vimConnectionInfo).map((vim) => ({
      id: 'vim-a',
      ...vim,
      vimType: 'openstack',
    })),
    extVirtualLinks: request.extVirtualLinks.map((link) => ({
      ...link,
      extCps: link.extCps.map((cp) => ({ ...cp, cpConfig: Object.values(cp.cpConfig) })),
    })),
  };
}

export function scaleBody(flavour: Flavour, type: 'SCALE_OUT' | 'SCALE_IN'): object {
  return { type, aspectId: SAMPLES[flavour].aspect };
}

export interface ServerFact {
  /** Id in Nova. */
  readonly id: string;
  readonly vduId: string;
  /** The id by which a heal names the server, in the version of the API that was asked. */
  readonly vnfc: string;
}

/** The servers of an instance as the API shows them. */
export function serversOf({ instantiatedVnfInfo: info }: InstanceBody, version: Version): ServerFact[] {
  return (info?.vnfcResourceInfo ?? []).map(({ id, vduId, computeResource }) => ({
    id: computeResource.resourceId,
    vduId,
    vnfc: version === 'v1' ? id : (info?.vnfcInfo.find((vnfc) => vnfc.vnfcResourceInfoId === id)?.id ?? id),
  }));
}

export function healBody(flavour: Flavour, version: Version, server: ServerFact): object {
  const losesContent = flavour === 'registry' && version === 'v2';
  return {
    vnfcInstanceId: [server.vnfc],
    ...(losesContent ? { additionalParams: { accept_content_loss: true } } : {}),
  };
}

/** Packs a sample of the checkout. @returns the archive */
export async function packSample(name: string, directory: string, root: string): Promise<Buffer> {
  const archive = path.join(directory, `${name}.zip`);
  const source = path.join(root, 'samples', name);
  await promisify(execFile)(process.execPath, [path.join(root, 'cli', 'main.ts'), 'pack', source, '-o', archive]);
  return readFileSync(archive);
}
