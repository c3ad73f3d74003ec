import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runOnNode } from '../cli/demo/run-on-node.ts';
import { GUIDE_VERSIONS, sampleWithParameters } from './testing/packages/sample-with-parameters.ts';
import { guideRequest, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

/**
 * The whole of the guide "How to use Mgmt Driver for deploying Kubernetes Cluster with Cilium CNI" for both flavours,
 * in its order and with its requests. After each request the test checks what the guide's tables show.
 */

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly computeResource: { readonly resourceId: string };
}
interface KubeNode {
  readonly name: string;
  readonly role: string;
  readonly address: string;
}

const NODE_LINE =
  /^((?:master|worker)\d+) +Ready +(control-plane|<none>) +(?:\d+[smh])+ +(v\S+) +(10\.10\.0\.\d+) +<none> +Ubuntu 22\.04\.\d LTS +5\.15\.0-\d+-generic +containerd:\/\/(\S+)$/;

const samples = fileURLToPath(new URL('../samples/requests', import.meta.url));
const sample = (name: string) => JSON.parse(readFileSync(path.join(samples, `${name}.json`), 'utf8'));

describe.each([
  { flavour: 'simple', masters: 1, versions: ['v1.36.4', '2.3.4'], source: undefined },
  {
    flavour: 'complex',
    masters: 3,
    versions: ['v1.26.8', '1.7.11'],
    source: sampleWithParameters(GUIDE_VERSIONS), // the versions of the guide's tables are those of the package
  },
])('the guide, flavour $flavour', ({ flavour, masters, versions, source }) => {
  let system: System;
  let id: string;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(async () => {
    await system.stop();
    if (source !== undefined) rmSync(source, { recursive: true });
  });

  const params = (variant = '') => sample(`additional-params-${flavour}${variant}`);
  const show = async () => (await system.http.get(`/vnflcm/v2/vnf_instances/${id}`)).data;
  const vnfcs = async (): Promise<Vnfc[]> => (await show()).instantiatedVnfInfo.vnfcResourceInfo;
  const servers = async () => (await vnfcs()).map(({ computeResource }) => computeResource.resourceId).sort();
  const run = async (task: string, body: object) => {
    const accepted = await system.http.post(`/vnflcm/v2/vnf_instances/${id}/${task}`, body);
    const ended = await settled(system.http, operationOf(accepted), { timeoutMs: 120_000 });
    expect(ended.error).toBeUndefined();
    expect(ended.operationState).toBe('COMPLETED');
  };
  const stacks = () => z.array(z.string()).parse(system.simulator.fingerprint().content['stacks']);

  /**
   * `kubectl get node -o wide` on a control-plane node, over SSH through the bastion; every line has the guide's shape.
   */
  const nodes = async (): Promise<KubeNode[]> => {
    const master = (await vnfcs()).find(({ vduId }) => vduId === 'masterNode')?.computeResource.resourceId ?? '';
    const host = system.simulator.nodes.node(master)?.addresses[0] ?? '';
    const login = { host, username: 'ubuntu', password: 'ubuntu', bastion: system.simulator.bastion };
    const [head, ...lines] = (await runOnNode(login, 'kubectl get node -o wide')).split('\n');
    expect(head).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION /);
    return lines.map((line) => {
      expect(line).toMatch(NODE_LINE);
      const [, name = '', role = '', kubelet, address = '', containerd] = NODE_LINE.exec(line) ?? [];
      expect([kubelet, containerd]).toEqual(versions);
      expect(name).toBe(`${role === 'control-plane' ? 'master' : 'worker'}${address.split('.').at(-1)}`);
      return { name, role, address };
    });
  };
  /** Expects this number of Ready nodes and of servers. */
  const expectCluster = async (workers: number) => {
    const found = await nodes();
    expect(found.filter(({ role }) => role === 'control-plane').length).toBe(masters);
    expect(found.length).toBe(masters + workers);
    expect((await servers()).length).toBe(masters + workers);
    return found;
  };
  const healOne = async (vduId: string) => {
    const before = { nodes: await nodes(), servers: await servers() };
    const victim = (await vnfcs()).find((vnfc) => vnfc.vduId === vduId);
    await run('heal', { vnfcInstanceId: [`${vduId}-${victim?.id}`], ...params() });
    const left = await servers();
    expect(left).not.toContain(victim?.computeResource.resourceId);
    expect(left.filter((server) => before.servers.includes(server)).length).toBe(before.servers.length - 1);
    expect((await nodes()).map(({ name }) => name).sort()).toEqual(before.nodes.map(({ name }) => name).sort());
  };

  it('onboards the package and creates the VNF instance', async () => {
    const vnfdId = await onboardSample(system.http, source);
    const created = await system.http.post('/vnflcm/v2/vnf_instances', {
      vnfdId,
      vnfInstanceName: 'v2-kubernetes-sample',
      vnfInstanceDescription: 'v2-kubernetes-sample',
    });
    expect(created).toMatchObject({
      status: 201,
      data: { instantiationState: 'NOT_INSTANTIATED', vnfProvider: 'Company', vnfProductName: 'Sample VNF' },
    });
    id = created.data.id;
  });

  it('instantiates: every node is Ready', async () => {
    await run('instantiate', guideRequest(`instantiate-${flavour}.json`, system.simulator.authUrl));
    expect((await show()).instantiatedVnfInfo).toMatchObject({
      flavourId: flavour,
      vnfState: 'STARTED',
      scaleStatus: [{ aspectId: 'workerNode_scale', scaleLevel: 0 }],
      maxScaleLevels: [{ aspectId: 'workerNode_scale', scaleLevel: 2 }],
    });
    await expectCluster(2);
  }, 120_000);

  it('scales out and in again', async () => {
    const aspect = { aspectId: 'workerNode_scale', numberOfSteps: 1, ...params() };
    const before = (await nodes()).map(({ name }) => name);
    await run('scale', { type: 'SCALE_OUT', ...aspect });
    expect((await show()).instantiatedVnfInfo.scaleStatus[0].scaleLevel).toBe(1);
    expect((await expectCluster(3)).map(({ name }) => name)).toEqual(expect.arrayContaining(before));
    await run('scale', { type: 'SCALE_IN', ...aspect });
    expect((await show()).instantiatedVnfInfo.scaleStatus[0].scaleLevel).toBe(0);
    expect((await expectCluster(2)).map(({ name }) => name)).toEqual(before);
  }, 120_000);

  it.runIf(flavour === 'simple')(
    'heals a worker: another server at the same address, in the same cluster',
    async () => {
      await healOne('workerNode');
    },
    120_000,
  );

  it.runIf(flavour === 'complex')(
    'heals a control-plane node: another server at the same address',
    async () => {
      await healOne('masterNode');
    },
    120_000,
  );

  it('heals all of it: another stack, other servers, a cluster again', async () => {
    const before = { stacks: stacks(), servers: await servers() };
    await run('heal', params('-all'));
    expect((await servers()).filter((server) => before.servers.includes(server))).toEqual([]);
    expect(stacks().filter((stack) => before.stacks.includes(stack))).toEqual([]);
    await expectCluster(2);
  }, 120_000);

  it('terminates and deletes: nothing is left in the cloud', async () => {
    await run('terminate', { terminationType: 'FORCEFUL' });
    expect((await system.http.delete(`/vnflcm/v2/vnf_instances/${id}`)).status).toBe(204);
    expect(system.simulator.fingerprint().content).toMatchObject({ stacks: [], servers: [] });
  }, 60_000);
});
