import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../api/vnfpkgm/zip-of.ts';
import { type ForeignCluster, foreignClusters, withScript } from './testing/packages/foreign-cluster-packages.ts';
import { guideRequest, type System, settled, startSystem } from './testing/system.ts';
import { guideRequestV1, registerVim, V1_SAMPLE } from './testing/v1-guide.ts';

/**
 * A checkout of a repository with packages, such as Tacker's. The test onboards every Kubernetes cluster in it, leads
 * each through its life, and prints a table of the results. It fetches nothing.
 */
const CHECKOUT = process.env['VNFLOW_FOREIGN_PACKAGES'];
const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let system: System;
let vimId: string;
beforeAll(async () => {
  if (CHECKOUT === undefined) return;
  system = await startSystem({ hosts: 6, speed: 60 });
  vimId = await registerVim(system);
}, 240_000);
afterAll(() => system?.stop());

type Row = readonly [cluster: string, what: string, result: string];

it.skipIf(CHECKOUT === undefined)(
  'Kubernetes clusters of packages that we did not write live through their operations, or say why not',
  async () => {
    const rows: Row[] = [];
    for (const found of foreignClusters(path.resolve(CHECKOUT ?? ''))) {
      await live(found, found.name, rows);
      if (found.api === 1) await live(withScript(found, ownScript()), `${found.name} with our script`, rows);
    }
    expect(rows.filter(([, , result]) => /^HTTP 5|still /.test(result))).toEqual([]);
  },
  60 * 60_000,
);

const ownScript = () => readFileSync(path.join(V1_SAMPLE, 'Scripts/install_k8s_cluster.sh'));

async function live(cluster: ForeignCluster, name: string, rows: Row[]): Promise<void> {
  const note = (what: string, result: string) => {
    rows.push([name, what, result]);
    process.stdout.write(`| ${name} | ${what} | ${result} |\n`);
  };
  const { json, id, refused } = await onboard(cluster);
  if (refused !== undefined) return note('onboard', refused);
  note('onboard', 'ONBOARDED');
  uploadImages(cluster);
  for (const flavour of cluster.flavours) {
    const instance = new Instance(cluster.api, json.vnfdId);
    await instance.create();
    await instance.lives(flavour, (what, result) => note(`${flavour}: ${what}`, result));
    await instance.delete();
  }
  await system.http.patch(`${PACKAGES}/${id}`, { operationalState: 'DISABLED' });
  await system.http.delete(`${PACKAGES}/${id}`);
}

/** Puts the images that the VNFD names into the cloud, as the operator does who has them. */
function uploadImages({ files }: ForeignCluster): void {
  const { images } = system.simulator.cloud.state;
  const [any] = Object.values(images);
  for (const [name, content] of files) {
    if (any === undefined || !name.startsWith('Definitions/')) continue;
    for (const [, image = ''] of String(content).matchAll(/sw_image_data:\s*\n\s+name: (.*)$/gm)) {
      const id = randomUUID();
      if (!Object.values(images).some((other) => other.name === image)) images[id] = { ...any, id, name: image };
    }
  }
}

async function onboard({ files }: ForeignCluster) {
  const { id } = (await system.http.post(PACKAGES, {})).data;
  const zip = await zipOf([...files].sort());
  const headers = { 'Content-Type': 'application/zip', Accept: 'application/json' };
  const answer = await system.http.put(`${PACKAGES}/${id}/package_content`, zip, { headers });
  const json = (await system.http.get(`${PACKAGES}/${id}`)).data;
  return { id, json, refused: answer.status === 202 ? undefined : `${answer.status} ${answer.data.detail}` };
}

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
}

class Instance {
  readonly #api: 1 | 2;
  readonly #vnfdId: string;
  #url = '';

  constructor(api: 1 | 2, vnfdId: string) {
    this.#api = api;
    this.#vnfdId = vnfdId;
  }

  async create(): Promise<void> {
    const base = `/vnflcm/v${this.#api}/vnf_instances`;
    this.#url = `${base}/${(await system.http.post(base, { vnfdId: this.#vnfdId })).data.id}`;
  }

  async delete(): Promise<void> {
    await system.http.delete(this.#url);
  }

  async lives(flavour: string, note: (what: string, result: string) => void): Promise<void> {
    const aspectId = this.#api === 1 ? 'worker_instance' : 'workerNode_scale';
    const steps: readonly (readonly [string, string, () => Promise<object> | object])[] = [
      ['instantiate', 'instantiate', () => this.#instantiateRequest(flavour)],
      ['scale out', 'scale', () => ({ type: 'SCALE_OUT', aspectId, numberOfSteps: 1 })],
      ['scale in', 'scale', () => ({ type: 'SCALE_IN', aspectId, numberOfSteps: 1 })],
      ['heal a worker', 'heal', () => this.#healRequest('workerNode')],
      ['heal a control-plane node', 'heal', () => this.#healRequest('masterNode')],
    ];
    for (const [what, task, request] of steps) {
      const result = await this.#run(task, await request());
      note(what, result);
      if (what === 'instantiate' && result !== 'COMPLETED') return;
    }
    note('terminate', await this.#run('terminate', { terminationType: 'FORCEFUL' }));
  }

  #instantiateRequest(flavour: string): object {
    if (this.#api === 2) return guideRequest(`instantiate-${flavour}.json`, system.simulator.authUrl);
    const request = guideRequestV1(`instantiate-${flavour}`, system.simulator, vimId);
    const { proxy: _, ...parameters } = request.additionalParams.k8s_cluster_installation_param;
    const named = { ...parameters, vim_name: `${parameters.vim_name}-${this.#url.slice(-8)}` };
    return { ...request, additionalParams: { ...request.additionalParams, k8s_cluster_installation_param: named } };
  }

  async #healRequest(vduId: string): Promise<object> {
    const { instantiatedVnfInfo } = (await system.http.get(this.#url)).data;
    const all: Vnfc[] = this.#api === 1 ? instantiatedVnfInfo.vnfcResourceInfo : instantiatedVnfInfo.vnfcInfo;
    return {
      vnfcInstanceId: all
        .filter((vnfc) => vnfc.vduId === vduId)
        .map(({ id }) => id)
        .slice(0, 1),
    };
  }

  /** @returns the state of the operation at its end, and its problem if there is one; or the refusal */
  async #run(task: string, body: object): Promise<string> {
    const answer = await system.http.post(`${this.#url}/${task}`, body);
    if (answer.status !== 202) return `HTTP ${answer.status} ${answer.data.code}: ${answer.data.detail}`;
    const operation = new URL(String(answer.headers['location'])).pathname;
    const { operationState, error } = await settled(system.http, operation, { timeoutMs: 300_000, mayBeBusy: true });
    if (operationState === 'FAILED_TEMP') {
      await system.http.post(`${operation}/rollback`);
      await settled(system.http, operation, { timeoutMs: 300_000, mayBeBusy: true });
    }
    return error ? `${operationState} ${error.code}: ${error.detail}` : operationState;
  }
}
