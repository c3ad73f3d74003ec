import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { guideRequestV1, registerVim, V1_SAMPLE } from './testing/v1-guide.ts';

const LIMIT = 240_000;
const INSTANCES = '/vnflcm/v1/vnf_instances';

let system: System;
let vimId: string;
let vnfdId: string;
let empty: ReturnType<System['simulator']['fingerprint']>;
beforeAll(async () => {
  // slower than usual: on a busy machine join tokens would expire between two steps
  system = await startSystem({ hosts: 6, speed: 60 });
  vimId = await registerVim(system);
  vnfdId = await onboardSample(system.http, V1_SAMPLE);
  empty = system.simulator.fingerprint();
}, LIMIT);
afterAll(() => system.stop());

const guide = (name: string) => guideRequestV1(name, system.simulator, vimId);

interface Vnfc {
  readonly id: string;
  readonly vduId: string;
  readonly vnfcCpInfo: readonly { readonly cpdId: string }[];
  readonly metadata: { readonly vdu_idx: number; readonly parent_resource_name: string };
}

/** An instance, operated as guide 001 does. */
class Guided {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
  static async create(): Promise<Guided> {
    const created = await system.http.post(INSTANCES, { vnfdId });
    expect(created.status).toBe(201);
    return new Guided(created.data.id);
  }
  async run(operation: string, body: object) {
    const answer = await system.http.post(`${INSTANCES}/${this.id}/${operation}`, body);
    expect([answer.status, answer.data], JSON.stringify(answer.data)).toEqual([202, '']);
    return settled(system.http, operationOf(answer), { timeoutMs: LIMIT });
  }
  async completes(operation: string, body: object): Promise<void> {
    const { operationState, error } = await this.run(operation, body);
    expect({ operationState, error }).toEqual({ operationState: 'COMPLETED' });
  }
  async show() {
    return (await system.http.get(`${INSTANCES}/${this.id}`)).data;
  }
  /** The VNFCs of a VDU as `show` prints them: the oldest first. */
  async vnfcs(vduId: string): Promise<Vnfc[]> {
    const info: { vnfcResourceInfo: Vnfc[] } = (await this.show()).instantiatedVnfInfo;
    return info.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
  }
  async workers(): Promise<string[]> {
    return (await this.vnfcs('workerNode')).map(({ id }) => id);
  }
  async plan(operation: string, request: object) {
    const answer = await system.http.post(`/vnflow/v1/vnf_instances/${this.id}/plan`, { operation, request });
    expect(answer.status, JSON.stringify(answer.data)).toBe(200);
    return answer.data;
  }
  /** `desired_capacity` in Heat's template and the number of members in Heat, by the name of the group. */
  groups(): Record<string, [desired: unknown, members: number]> {
    const { stacks, texts } = system.simulator.cloud.state;
    const root = Object.values(stacks).find(({ name, action }) => name === `vnf-${this.id}` && action !== 'DELETE');
    const template = texts[root?.source.template ?? ''] ?? '';
    return Object.fromEntries(
      Object.values(root?.resources ?? {})
        .filter(({ type }) => type === 'OS::Heat::AutoScalingGroup')
        .map(({ name, physicalId }) => {
          const [, desired] = new RegExp(`${name}"?:[^]*?desired_capacity"?: ?(\\d+)`).exec(template) ?? [];
          return [name, [Number(desired), Object.keys(stacks[physicalId]?.resources ?? {}).length]];
        }),
    );
  }
}

/** Names of the nodes of the cluster that lives. */
const nodeNames = () => Object.keys(system.simulator.nodes.clusters().at(-1)?.nodes ?? {}).sort();
const servers = () => Object.keys(system.simulator.cloud.state.servers).sort();
const hostnameOf = (server: string | undefined) => system.simulator.nodes.node(server ?? '')?.hostname;

describe('the simple flavour, by the requests of guide 001', () => {
  let vnf: Guided;

  it('refuses invalid requests: vip_CP in a flavour without it, an unknown aspect, user data that does not fit', async () => {
    vnf = await Guided.create();
    const refusal = async (change: (body: ReturnType<typeof guide>) => void) => {
      const body = guide('instantiate-simple');
      change(body);
      const { status, data } = await system.http.post(`${INSTANCES}/${vnf.id}/instantiate`, body);
      return [status, data.detail];
    };
    const cluster = 'k8s_cluster_installation_param';
    expect(
      await refusal((body) => {
        body.additionalParams[cluster].master_node.cluster_cp_name = 'vip_CP';
      }),
    ).toEqual([400, expect.stringContaining('vip_CP is not in the VNF package; it has masterNode_CP1')]);
    expect(
      await refusal((body) => {
        body.additionalParams[cluster].worker_node.aspect_id = 'workers';
      }),
    ).toEqual([400, expect.stringContaining('worker_node.aspect_id: workers')]);
    expect(
      await refusal((body) => {
        body.additionalParams['lcm-operation-user-data-class'] = 'StandardUserData';
      }),
    ).toEqual([400, expect.stringContaining('name KubernetesClusterUserData')]);
  });

  it(
    'instantiates: host bits are cleared, the cluster becomes a VIM, and version 2 shows the same VNFCs',
    async () => {
      await vnf.completes('instantiate', guide('instantiate-simple'));
      expect(nodeNames().map((name) => name.replace(/\d+$/, ''))).toEqual(['master', 'worker', 'worker']);
      expect(vnf.groups()).toEqual({ master_instance: [1, 1], worker_instance: [2, 2] });
      const shown = await vnf.show();
      expect(shown.instantiatedVnfInfo.scaleStatus).toEqual([
        { aspectId: 'master_instance', scaleLevel: 0 },
        { aspectId: 'worker_instance', scaleLevel: 0 },
      ]);
      expect(shown.instantiatedVnfInfo.extCpInfo.map(({ cpdId }: { cpdId: string }) => cpdId)).toEqual([
        'masterNode_CP1',
        'workerNode_CP2',
      ]);
      const [master] = await vnf.vnfcs('masterNode');
      const address = system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('master'))?.hostname;
      const { data } = await system.http.get('/v1.0/vims?name=kubernetes_vim');
      expect(data.vims).toMatchObject([
        { type: 'kubernetes', auth_url: `https://10.10.0.${address?.replace('master', '')}:6443` },
      ]);
      const v2 = (await system.http.get(`/vnflcm/v2/vnf_instances/${vnf.id}`)).data.instantiatedVnfInfo;
      expect(v2.vnfcResourceInfo.map(({ id }: Vnfc) => id).sort()).toEqual(
        [master?.id, ...(await vnf.workers())].sort(),
      );
      const init = system.simulator.ledger.entries().filter(({ what }) => what.includes('192.168.3.0'));
      expect(init, 'no command gets host bits').toEqual([]);
      for (const node of system.simulator.nodes.list()) {
        for (const name of nodeNames()) {
          expect(node.file('/etc/hosts'), node.hostname).toMatch(new RegExp(`^[\\d.]+ ${name}$`, 'm'));
        }
      }
    },
    LIMIT,
  );

  it(
    'scales out: the new worker joins, the others stay',
    async () => {
      const before = await vnf.workers();
      await vnf.completes('scale', guide('scale-out'));
      const after = await vnf.workers();
      expect(after.slice(0, 2)).toEqual(before);
      expect(after).toHaveLength(3);
      expect(nodeNames()).toHaveLength(4);
      expect(vnf.groups()).toMatchObject({ worker_instance: [3, 3] });
    },
    LIMIT,
  );

  it('refuses to scale the control plane, an unknown aspect, and beyond the levels', async () => {
    const refused = async (body: object) => {
      const { status, data } = await system.http.post(`${INSTANCES}/${vnf.id}/scale`, body);
      return [status, data.detail];
    };
    const out = guide('scale-out');
    expect(await refused({ ...out, aspectId: 'master_instance' })).toEqual([
      400,
      expect.stringContaining('only workers'),
    ]);
    expect(await refused({ ...out, aspectId: 'workers' })).toEqual([400, expect.stringContaining('worker_instance')]);
    expect(await refused({ ...out, numberOfSteps: 2 })).toEqual([400, expect.stringContaining('numberOfSteps')]);
  });

  it(
    'heals a worker: only its server is replaced, its name and the size of the group stay',
    async () => {
      const [healed = '', ...others] = await vnf.workers();
      const name = hostnameOf(healed);
      await vnf.completes('heal', { vnfcInstanceId: [healed] });
      const after = await vnf.workers();
      expect(after.slice(1)).toEqual(others);
      expect(after[0]).not.toBe(healed);
      expect(hostnameOf(after[0])).toBe(name);
      expect(vnf.groups()).toMatchObject({ worker_instance: [3, 3] });
      expect(nodeNames()).toHaveLength(4);
    },
    LIMIT,
  );

  it(
    'scales in: the oldest worker goes, as the plan says, although it was healed',
    async () => {
      const [oldest = '', ...others] = await vnf.workers();
      const plan = await vnf.plan('SCALE', { type: 'SCALE_IN', aspectId: 'worker_instance' });
      expect(plan.disruption.removed).toEqual([expect.stringContaining(`${hostnameOf(oldest)} `)]);
      const newest = { is_reverse: 'True' };
      const reversed = await vnf.plan('SCALE', {
        type: 'SCALE_IN',
        aspectId: 'worker_instance',
        additionalParams: newest,
      });
      expect(reversed.disruption.removed).toEqual([expect.stringContaining(`${hostnameOf(others.at(-1))} `)]);
      const name = hostnameOf(oldest) ?? '';
      await vnf.completes('scale', guide('scale-in'));
      expect(await vnf.workers()).toEqual(others);
      expect(nodeNames()).not.toContain(name);
      expect(vnf.groups()).toMatchObject({ worker_instance: [2, 2] });
    },
    LIMIT,
  );

  it(
    'undoes a scale out that failed: the members are those that were there',
    async () => {
      const before = [await vnf.workers(), servers(), vnf.groups()];
      system.simulator.nodes.faults.add({ kind: 'command', commandPrefix: 'kubeadm join', exitCode: 1, stderr: 'no' });
      const answer = await system.http.post(`${INSTANCES}/${vnf.id}/scale`, guide('scale-out'));
      const operation = operationOf(answer);
      expect(await settled(system.http, operation, { timeoutMs: LIMIT })).toMatchObject({
        operationState: 'FAILED_TEMP',
      });
      system.simulator.nodes.faults.clear();
      await system.http.post(`${operation}/rollback`);
      expect(await settled(system.http, operation, { timeoutMs: LIMIT })).toMatchObject({
        operationState: 'ROLLED_BACK',
      });
      expect([await vnf.workers(), servers(), vnf.groups()]).toEqual(before);
    },
    LIMIT,
  );

  it(
    'is terminated through version 2: nothing is left',
    async () => {
      const path = `/vnflcm/v2/vnf_instances/${vnf.id}/terminate`;
      const answer = await system.http.post(path, { terminationType: 'FORCEFUL' });
      expect(await settled(system.http, operationOf(answer), { timeoutMs: LIMIT })).toMatchObject({
        operationState: 'COMPLETED',
      });
      expect(servers()).toEqual([]);
      expect(system.simulator.fingerprint()).toEqual(empty);
      expect((await system.http.get('/v1.0/vims?name=kubernetes_vim')).data.vims).toEqual([]);
    },
    LIMIT,
  );
});

describe('the complex flavour, by the requests of guide 001', () => {
  let vnf: Guided;

  it(
    'instantiates three control-plane nodes behind vip_CP',
    async () => {
      vnf = await Guided.create();
      await vnf.completes('instantiate', guide('instantiate-complex'));
      const cluster = system.simulator.nodes.clusters().at(-1);
      expect(cluster?.etcd.members.filter(({ started, learner }) => started && !learner)).toHaveLength(3);
      expect(cluster?.endpoint).toMatch(/:16443$/);
      expect(vnf.groups()).toEqual({ master_instance: [3, 3], worker_instance: [2, 2] });
    },
    LIMIT,
  );

  it(
    'heals a control-plane node, between a scale out and a scale in: only its server is replaced',
    async () => {
      await vnf.completes('scale', guide('scale-out'));
      const before = servers();
      const [healed] = await vnf.vnfcs('masterNode');
      const name = hostnameOf(healed?.id);
      await vnf.completes('heal', { vnfcInstanceId: [healed?.id] });
      expect(servers().filter((server) => before.includes(server))).toEqual(before.filter((id) => id !== healed?.id));
      expect(servers()).toHaveLength(6);
      expect((await vnf.vnfcs('masterNode')).map(({ id }) => hostnameOf(id))).toContain(name);
      const members = system.simulator.nodes.clusters().at(-1)?.etcd.members ?? [];
      expect(members.filter(({ started, learner }) => started && !learner)).toHaveLength(3);
      expect(vnf.groups()).toEqual({ master_instance: [3, 3], worker_instance: [3, 3] });
      const [, ...others] = await vnf.workers();
      await vnf.completes('scale', guide('scale-in'));
      expect(await vnf.workers()).toEqual(others);
    },
    LIMIT,
  );

  it(
    'an alarm that scaled the group behind our back: a heal removes nobody',
    async () => {
      const [healed] = await vnf.workers();
      const state = system.simulator.cloud.state;
      const root = Object.values(state.stacks).find(({ name }) => name === `vnf-${vnf.id}`);
      const url = `${system.simulator.url}/heat-api/v1/${root?.projectId}/stacks/${root?.name}/${root?.id}`;
      const headers = { 'X-Auth-Token': String(system.http.defaults.headers['X-Auth-Token']) };
      const signalled = await fetch(`${url}/resources/worker_instance_scale_out/signal`, { method: 'POST', headers });
      expect(signalled.status).toBe(200);
      await expect.poll(() => servers().length, { timeout: 60_000 }).toBe(6);
      const group = state.stacks[root?.resources['worker_instance']?.physicalId ?? ''];
      await expect.poll(() => group?.progress, { timeout: 60_000 }).toBe('COMPLETE');
      const before = servers();
      await vnf.completes('heal', { vnfcInstanceId: healed });
      expect(servers().filter((server) => before.includes(server))).toEqual(before.filter((id) => id !== healed));
      expect(vnf.groups()).toMatchObject({ worker_instance: [3, 3] });
    },
    LIMIT,
  );

  it(
    'heals the entire VNF with the counts that it has',
    async () => {
      const before = servers();
      await vnf.completes('heal', {});
      expect(servers()).toHaveLength(6);
      expect(servers().filter((server) => before.includes(server))).toEqual([]);
      expect(vnf.groups()).toEqual({ master_instance: [3, 3], worker_instance: [3, 3] });
    },
    LIMIT,
  );

  it(
    'is terminated: nothing is left',
    async () => {
      await vnf.completes('terminate', { terminationType: 'FORCEFUL' });
      expect(system.simulator.fingerprint()).toEqual(empty);
      expect((await system.http.delete(`${INSTANCES}/${vnf.id}`)).status).toBe(204);
    },
    LIMIT,
  );
});
