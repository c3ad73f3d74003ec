import { afterAll, beforeAll, expect, it } from 'vitest';
import { onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { guideRequestV1, registerVim, V1_SAMPLE } from './testing/v1-guide.ts';

const LIMIT = 240_000;
const INSTANCES = '/vnflcm/v1/vnf_instances';

let system: System;
let vimId: string;
let vnfdId: string;
beforeAll(async () => {
  // slower than usual: on a busy machine join tokens would expire between two steps
  system = await startSystem({ speed: 60 });
  vimId = await registerVim(system);
  vnfdId = await onboardSample(system.http, V1_SAMPLE);
  system.simulator.nodes.faults.add({ kind: 'no-way-out' });
}, LIMIT);
afterAll(() => system.stop());

const instantiateBody = () => guideRequestV1('instantiate-simple', system.simulator, vimId);

async function newInstance(): Promise<string> {
  return (await system.http.post(INSTANCES, { vnfdId })).data.id;
}

async function operate(id: string, task: string, body: object) {
  const path = operationOf(await system.http.post(`${INSTANCES}/${id}/${task}`, body));
  return { path, ...(await settled(system.http, path, { timeoutMs: LIMIT })) };
}

/** Runs an operation that completes. @returns what each node that asked the proxy meanwhile did ask */
async function askedMeanwhile(run: () => ReturnType<typeof operate>): Promise<string[][]> {
  const since = system.simulator.ledger.entries().at(-1)?.seq;
  expect(await run()).toMatchObject({ operationState: 'COMPLETED' });
  return Object.values(asked(since));
}

/** What reached the proxy since an entry of the ledger: by node, the programs and their answers. */
function asked(since = 0): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  for (const { kind, where, detail } of system.simulator.ledger.entries(since)) {
    if (kind !== 'proxy') continue;
    const role = where.replace(/\d+$/, '');
    found[where] = (found[where] ?? new Set()).add(`${detail?.['program']} ${detail?.['status']}`);
    expect(['master', 'worker'], where).toContain(role.replace(/-.*/, ''));
  }
  return Object.fromEntries(Object.entries(found).map(([where, programs]) => [where, [...programs].sort()]));
}

it(
  "installs a cluster by the guide's request where nothing but the proxy leads out, and scales it by the proxy that the request named",
  async () => {
    const id = await newInstance();
    const instantiated = await operate(id, 'instantiate', instantiateBody());
    expect(instantiated).toMatchObject({ operationState: 'COMPLETED' });
    const [cluster] = system.simulator.nodes.clusters();
    const names = Object.keys(cluster?.nodes ?? {}).sort();
    expect(names.map((name) => name.replace(/\d+/, ''))).toEqual(['master', 'worker', 'worker']);
    const programs = ['apt 200', 'containerd 200', 'curl 200'];
    expect(asked()).toEqual(Object.fromEntries(names.map((name) => [name, programs])));

    const scaled = await askedMeanwhile(() => operate(id, 'scale', { type: 'SCALE_OUT', aspectId: 'worker_instance' }));
    expect(scaled).toEqual([programs]);
    // a client of Tacker repeats the parameters with each operation; this one leaves the proxy out
    const { proxy: _, ...others } = instantiateBody().additionalParams.k8s_cluster_installation_param;
    const { data } = await system.http.get(`${INSTANCES}/${id}`);
    const { vnfcResourceInfo } = data.instantiatedVnfInfo;
    const worker = vnfcResourceInfo.find(({ vduId }: { vduId: string }) => vduId === 'workerNode');
    const additionalParams = { k8s_cluster_installation_param: others };
    const healed = await askedMeanwhile(() => operate(id, 'heal', { vnfcInstanceId: [worker.id], additionalParams }));
    expect(healed).toEqual([programs]);

    // what belongs to the cluster was asked directly: each address of k8s_node_cidr is an exception
    const nodes = system.simulator.nodes.list();
    const added = nodes.at(-1);
    const variables = added?.file('/etc/vnflow/proxy.env') ?? '';
    const exceptions = /^NO_PROXY=(.*)$/m.exec(variables)?.[1]?.split(',') ?? [];
    expect(exceptions).toEqual(
      expect.arrayContaining([
        '192.168.246.0/24',
        '10.0.0.1',
        '192.168.0.0/16',
        '10.199.187.0/24',
        '.svc',
        '10.10.0.255',
      ]),
    );
    expect(exceptions).toContain(added?.addresses[0]);
    // kubeadm, above all, has not written it into the manifests of the control plane
    for (const node of nodes) {
      const holders = ['/etc', '/var', '/root', '/home', '/tmp', '/run']
        .flatMap((directory) => node.filesBelow(directory))
        .filter((file) => node.file(file)?.includes('password1'));
      expect(holders.sort(), node.hostname).toEqual(['/etc/apt/apt.conf.d/95vnflow-proxy', '/etc/vnflow/proxy.env']);
    }

    const { data: shown } = await system.http.get(instantiated.path);
    const sent = JSON.parse(shown.operationParams).additionalParams;
    expect(sent.k8s_cluster_installation_param.proxy).toMatchObject({
      http_proxy: 'http://***@192.0.2.80:3128',
      k8s_node_cidr: '10.10.0.0/24',
    });
  },
  LIMIT,
);

it(
  'a wrong login fails at once with the reason and without the login, and a rollback leaves nothing',
  async () => {
    const before = system.simulator.fingerprint();
    const id = await newInstance();
    const body = instantiateBody();
    const { proxy } = Object.assign(body.additionalParams.k8s_cluster_installation_param, { vim_name: 'another' });
    for (const member of ['http_proxy', 'https_proxy'])
      proxy[member] = proxy[member].replace('password1', 'canary-6fT2');
    const { path, operationState, error } = await operate(id, 'instantiate', body);
    expect(operationState).toBe('FAILED_TEMP');
    expect(error?.detail).toMatch(/the proxy refuses its user name or password \(407\): correct proxy in the request/);
    const steps = await system.http.get(`${path.replace('/vnflcm/v1', '/vnflow/v1')}/timeline`);
    expect(steps.status).toBe(200);
    expect(JSON.stringify([error, steps.data, (await system.http.get(path)).data])).not.toContain('canary-6fT2');
    await system.http.post(`${path}/rollback`);
    expect(await settled(system.http, path, { timeoutMs: LIMIT })).toMatchObject({
      operationState: 'ROLLED_BACK',
    });
    expect(system.simulator.fingerprint().hash).toBe(before.hash);
  },
  LIMIT,
);
