import { Client, Connection } from '@temporalio/client';
import axios from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKubectl } from './testing/kubectl.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
  tokenOf,
} from './testing/system.ts';
import { guideRequestV1, registerVim, V1_SAMPLE } from './testing/v1-guide.ts';

const LIMIT = 240_000;
const V1 = '/vnflcm/v1/vnf_instances';
const V2 = '/vnflcm/v2/vnf_instances';

let system: System;
let connection: Connection;
let vimId: string;
let id: string;
beforeAll(async () => {
  // slower than usual: on a busy machine join tokens would expire between two steps
  system = await startSystem({ hosts: 6, speed: 60 });
  connection = await Connection.connect({ address: system.temporal.address });
  vimId = await registerVim(system);
}, LIMIT);
afterAll(async () => {
  await connection.close();
  await system.stop();
});

const guide = (name: string) => guideRequestV1(name, system.simulator, vimId);

async function completes(path: string, body: object): Promise<void> {
  const { operationState, error } = await settled(system.http, operationOf(await system.http.post(path, body)), {
    timeoutMs: LIMIT,
  });
  expect({ operationState, error }).toEqual({ operationState: 'COMPLETED' });
}

const kubectl = (args: string, stdin?: string) => runKubectl(system.simulator, args, stdin);

/** By node: a label as `kubectl get node --show-labels` prints it; undefined when the node has none. */
async function labels(key: string): Promise<Record<string, string | undefined>> {
  const lines = (await kubectl('get node --show-labels --no-headers')).trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.split(' ')[0], new RegExp(`[ ,]${key}=([^,\\s]+)`).exec(line)?.[1]]),
  );
}

/** Sends a request to Nova as an admin. */
async function nova(method: 'GET' | 'POST', path: string, data?: object) {
  const headers = {
    'X-Auth-Token': await tokenOf(system.simulator.authUrl),
    'OpenStack-API-Version': 'compute 2.72',
  };
  return axios.request({ method, url: `${system.simulator.url}/compute/v2.1/${path}`, headers, data, proxy: false });
}

interface Worker {
  readonly id: string;
  readonly 'OS-EXT-SRV-ATTR:host': string;
  readonly hostId: string;
  readonly server_groups: readonly string[];
}

/** By name of the node: the servers of the workers, as Nova shows them. */
async function workers(): Promise<Record<string, Worker>> {
  const { servers } = (await nova('GET', 'servers/detail?name=workerNode')).data;
  const named = servers.map((server: Worker) => [system.simulator.nodes.node(server.id)?.hostname, server]);
  return Object.fromEntries(named);
}

/** Checks what guide 002 checks after each operation. */
async function isAsTheGuideSays(count: number): Promise<void> {
  const found = await workers();
  expect(Object.keys(found)).toHaveLength(count);
  const { server_groups: groups } = (await nova('GET', 'os-server-groups')).data;
  const group = groups.find(({ name }: { name: string }) => name === 'ServerGroup');
  expect(group).toMatchObject({ policy: 'anti-affinity', rules: {} });
  expect([...group.members].sort()).toEqual(
    Object.values(found)
      .map((worker) => worker.id)
      .sort(),
  );
  const hosts = Object.values(found).map((worker) => worker['OS-EXT-SRV-ATTR:host']);
  expect(new Set(hosts).size, `workers on ${hosts}`).toBe(count);
  const onHost = await labels('CIS-node');
  const expected = Object.entries(found).map(([node, worker]) => [node, worker['OS-EXT-SRV-ATTR:host']]);
  const masters = Object.keys(onHost).filter((node) => node.startsWith('master'));
  expect(masters).toHaveLength(3);
  expect(onHost).toEqual(Object.fromEntries([...expected, ...masters.map((node) => [node, undefined])]));
  for (const worker of Object.values(found)) expect(worker.server_groups).toEqual([group.id]);
  expect(Object.values(await labels('kubernetes.io/zone'))).toEqual(Object.keys(onHost).map(() => undefined));
}

const lastEntry = () => system.simulator.ledger.entries().at(-1)?.seq;

/** Names of the nodes with a login after an entry of the ledger. */
function nodesVisited(since: number | undefined): Set<string | undefined> {
  const logins = system.simulator.ledger.entries(since).filter(({ kind }) => kind === 'login');
  return new Set(logins.map(({ detail }) => system.simulator.nodes.node(String(detail?.['server']))?.hostname));
}

const schedule = () => new Client({ connection }).schedule.getHandle(`labels/${id}`);

/** Runs the schedule of the labels now. @returns what it has done */
async function refresh(): Promise<string> {
  const before = (await schedule().describe()).info.numActionsTaken;
  await schedule().trigger();
  await expect
    .poll(async () => (await schedule().describe()).info.numActionsTaken, { timeout: 20_000 })
    .toBe(before + 1);
  const { recentActions } = (await schedule().describe()).info;
  const run = recentActions.at(-1)?.action.workflow;
  return new Client({ connection }).workflow.getHandle(run?.workflowId ?? '', run?.firstExecutionRunId).result();
}

/** The operations of guide 002: workers on different compute hosts, with the name of the host in a label. */
describe('the podaffinity flavour, by the requests of guide 002', () => {
  it(
    'instantiates: workers on different hosts, in one group, labelled with their hosts',
    async () => {
      const vnfdId = await onboardSample(system.http, V1_SAMPLE);
      id = (await system.http.post(V1, { vnfdId })).data.id;
      await completes(`${V1}/${id}/instantiate`, guide('instantiate-podaffinity'));
      await isAsTheGuideSays(2);
    },
    LIMIT,
  );

  it(
    'labels the worker of a scale out, and logs in to no worker that stays',
    async () => {
      const before = Object.keys(await workers());
      const since = lastEntry();
      await completes(`${V1}/${id}/scale`, guide('scale-out'));
      await isAsTheGuideSays(3);
      const visited = nodesVisited(since);
      expect(visited.size).toBeGreaterThan(1);
      expect(before.filter((node) => visited.has(node))).toEqual([]);
    },
    LIMIT,
  );

  it('pods with anti-affinity on the label run on different hosts; one more than there are hosts waits', async () => {
    const rule = '{topologyKey: CIS-node, labelSelector: {matchLabels: {app: web}}}';
    const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [${rule}]}}
`;
    await kubectl('apply -f -', manifest);
    const lines = (await kubectl('get pods -o wide --no-headers')).trim().split('\n');
    const nodes = lines.map((line) => line.trim().split(/\s+/).at(-1) ?? '');
    expect(nodes.sort()).toEqual(['<none>', ...Object.keys(await workers())].sort());
    await kubectl('delete deployment web');
  });

  it(
    'corrects the label after a live migration, at the next run of its schedule',
    async () => {
      const [[node = '', worker] = []] = Object.entries(await workers());
      expect((await schedule().describe()).spec.intervals).toMatchObject([{ every: 15 * 60 * 1000 }]);
      expect(await refresh()).toBe('every label is right');
      const migrated = { 'os-migrateLive': { host: null, block_migration: 'auto' } };
      expect((await nova('POST', `servers/${worker?.id}/action`, migrated)).status).toBe(202);
      const hostNow = async () => (await workers())[node]?.['OS-EXT-SRV-ATTR:host'];
      await expect.poll(hostNow, { timeout: 20_000 }).not.toBe(worker?.['OS-EXT-SRV-ATTR:host']);
      expect((await labels('CIS-node'))[node]).toBe(worker?.['OS-EXT-SRV-ATTR:host']);
      const since = lastEntry();
      expect(await refresh()).toBe(`corrected: ${node}`);
      expect([...nodesVisited(since)]).toEqual([expect.stringMatching(/^master/)]);
      await isAsTheGuideSays(3);
    },
    LIMIT,
  );

  it('takes hostId where Nova hides the host from the user of the VIM', async () => {
    const as = (username: string) => ({ vimConnectionInfo: { [vimOfInstance]: { accessInfo: { username } } } });
    const { vimConnectionInfo } = (await system.http.get(`${V2}/${id}`)).data;
    const [vimOfInstance = ''] = Object.keys(vimConnectionInfo);
    const change = async (username: string) =>
      settled(system.http, operationOf(await system.http.patch(`${V2}/${id}`, as(username))), { timeoutMs: LIMIT });
    expect(await change('nfv_member')).toMatchObject({ operationState: 'COMPLETED' });
    expect(await refresh()).toMatch(/^corrected: /);
    const found = await workers();
    const onHost = await labels('CIS-node');
    for (const [node, { hostId }] of Object.entries(found)) expect(onHost[node]).toBe(hostId);
    expect(await change('nfv_user')).toMatchObject({ operationState: 'COMPLETED' });
  });

  it(
    'labels the successor of a healed worker, and corrects the others meanwhile; the group stays',
    async () => {
      const before = await workers();
      const [[node = '', worker] = []] = Object.entries(before);
      await completes(`${V1}/${id}/heal`, { vnfcInstanceId: [worker?.id] });
      await isAsTheGuideSays(3);
      expect((await workers())[node]?.id).not.toBe(worker?.id);
      expect((await workers())[node]?.server_groups).toEqual(worker?.server_groups);
    },
    LIMIT,
  );

  it(
    'labels every worker after a heal of the entire VNF: the group is another one',
    async () => {
      const [before] = Object.values(await workers());
      await completes(`${V1}/${id}/heal`, {});
      await isAsTheGuideSays(3);
      expect(Object.values(await workers())[0]?.server_groups).not.toEqual(before?.server_groups);
    },
    LIMIT,
  );

  it(
    'forgets the schedule with the cluster',
    async () => {
      await completes(`${V1}/${id}/terminate`, { terminationType: 'FORCEFUL' });
      await expect(schedule().describe()).rejects.toThrow(/not found/i);
    },
    LIMIT,
  );
});

it(
  'labels the workers of a package for version 2, and the zone where the request names one',
  async () => {
    id = await createInstance(system.http, await onboardSample(system.http));
    const body = guideRequest('instantiate-complex.json', system.simulator.authUrl);
    body.additionalParams.nfv = { VDU: { 'workerNode-1': { locationConstraints: 'nova' } } };
    await completes(`${V2}/${id}/instantiate`, body);
    const { servers } = (await nova('GET', 'servers/detail?name=workerNode')).data;
    const hosts = servers.map((server: Worker) => server['OS-EXT-SRV-ATTR:host']).sort();
    expect(
      Object.values(await labels('CIS-node'))
        .filter(Boolean)
        .sort(),
    ).toEqual(hosts);
    expect(Object.values(await labels('kubernetes.io/zone')).filter(Boolean)).toEqual(['nova']);
  },
  LIMIT,
);
