import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Cause } from './scenario.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../samples/kubernetes-cluster', import.meta.url));
const REQUEST = fileURLToPath(new URL('../samples/requests/instantiate-simple.json', import.meta.url));

const Node = z.looseObject({ password: z.string() });
const Request = z.looseObject({
  vimConnectionInfo: z.looseObject({ vim1: z.looseObject({ interfaceInfo: z.looseObject({ endpoint: z.string() }) }) }),
  additionalParams: z.looseObject({
    k8s_cluster_installation_param: z.looseObject({ vim_name: z.string(), master_node: Node, worker_node: Node }),
  }),
});

/**
 * Builds the guide's request for the simulated cloud.
 * @param cause `password`: the request has a wrong password for the nodes
 */
export function instantiateRequest(authUrl: string, cause: Cause): object {
  const request = Request.parse(JSON.parse(readFileSync(REQUEST, 'utf8')));
  const cluster = request.additionalParams.k8s_cluster_installation_param;
  request.vimConnectionInfo.vim1.interfaceInfo.endpoint = authUrl;
  cluster.vim_name = `faults-${randomUUID()}`;
  if (cause === 'password') cluster.master_node.password = cluster.worker_node.password = 'not the password';
  return request;
}

/**
 * Packs the sample package with one worker instead of two: half of the work, and all kinds of steps.
 * @returns the archive
 */
export async function packSmallSample(directory: string): Promise<Buffer> {
  const source = path.join(directory, 'package');
  cpSync(SAMPLE, source, { recursive: true });
  const file = path.join(source, 'Definitions', 'flavour_simple.yaml');
  const edits: readonly (readonly [string, string])[] = [
    ['initial_delta: { number_of_instances: 2 }', 'initial_delta: { number_of_instances: 1 }'],
    ['instantiation_level_1: { number_of_instances: 2 }', 'instantiation_level_1: { number_of_instances: 1 }'],
    ['instantiation_level_2: { number_of_instances: 4 }', 'instantiation_level_2: { number_of_instances: 3 }'],
    ['min_number_of_instances: 2', 'min_number_of_instances: 1'],
  ];
  const vnfd = edits.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`the sample's flavour has no "${from}"`);
      return text.replace(from, to);
    },
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, vnfd);
  if (!readdirSync(source).includes('TOSCA-Metadata')) throw new Error(`${SAMPLE} is no package`);
  const archive = path.join(directory, 'package.zip');
  await promisify(execFile)(process.execPath, [MAIN, 'pack', source, '-o', archive]);
  return readFileSync(archive);
}
