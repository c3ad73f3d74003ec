import { setTimeout as delay } from 'node:timers/promises';
import type { RealCloud, RealEnvironment } from './real-cloud.ts';
import { runOnNode } from './real-nodes.ts';
import { realRequest } from './real-request.ts';
import type { RealServer, RealVnflow } from './real-vnflow.ts';

export interface RealParts {
  readonly env: RealEnvironment;
  readonly cloud: RealCloud;
  readonly vnflow: RealVnflow;
}

/** One sentence that was found true, or why not. */
export interface Checked {
  readonly flavour: Flavour;
  readonly chapter: string;
  /** What was found true. */
  readonly sentences: readonly string[];
  readonly problem?: string;
  readonly seconds: number;
}

export type Flavour = 'simple' | 'complex';
const MASTER = 'masterNode';
const WORKER = 'workerNode';
const READY_LIMIT_MS = 10 * 60_000;

/** The life of one cluster. */
interface Cluster extends RealParts {
  readonly flavour: Flavour;
  readonly instance: string;
  readonly networkId: string;
  /** Says that something is true. @throws Error when it is not */
  expect(isTrue: boolean, sentence: string): void;
  /** Writes into the report what happened on the way. */
  note(sentence: string): void;
}

type Chapter = readonly [title: string, tell: (cluster: Cluster) => Promise<void>];

const scale = (type: 'SCALE_OUT' | 'SCALE_IN') => ({ type, aspectId: 'workerNode_scale' });

const CHAPTERS: Readonly<Record<Flavour, readonly Chapter[]>> = {
  simple: [
    ['an instantiate fails and is rolled back', failAndRollBack],
    ['instantiate', (cluster) => instantiate(cluster, { masters: 1, workers: 2 })],
    ['scale out', (cluster) => changeWorkers(cluster, scale('SCALE_OUT'), 3)],
    ['scale in', (cluster) => changeWorkers(cluster, scale('SCALE_IN'), 2)],
    ['heal a worker', (cluster) => replaceNodes(cluster, { vdu: WORKER, count: 1, isDead: false })],
    [
      'heal the dead only control-plane node: a restore',
      (cluster) => replaceNodes(cluster, { vdu: MASTER, count: 1, isDead: true }),
    ],
    ['terminate and delete', terminate],
  ],
  complex: [
    ['instantiate', (cluster) => instantiate(cluster, { masters: 3, workers: 2 })],
    ['heal a living control-plane node', (cluster) => replaceNodes(cluster, { vdu: MASTER, count: 1, isDead: false })],
    ['heal a dead control-plane node', (cluster) => replaceNodes(cluster, { vdu: MASTER, count: 1, isDead: true })],
    ['two of three are dead: refused, then restored from the one that is left', restoreFromSurvivor],
    ['scale out', (cluster) => changeWorkers(cluster, scale('SCALE_OUT'), 3)],
    ['terminate and delete', terminate],
  ],
};

/** Leads a cluster through its life. A chapter that fails is the last one but the end of the instance. */
export async function leadRealLife(
  parts: RealParts,
  { flavour, vnfdId, say }: { flavour: Flavour; vnfdId: string; say: (line: string) => void },
): Promise<Checked[]> {
  const networkId = await parts.cloud.networkId(parts.env.VNFLOW_TEST_NETWORK);
  const instance = await parts.vnflow.create(vnfdId);
  const done: Checked[] = [];
  for (const [chapter, tell] of CHAPTERS[flavour]) {
    const since = Date.now();
    const sentences: string[] = [];
    const expect = (isTrue: boolean, sentence: string) => {
      if (!isTrue) throw new Error(`not true: ${sentence}`);
      sentences.push(sentence);
    };
    const note = (sentence: string) => void sentences.push(sentence);
    say(`${flavour}: ${chapter} …`);
    const problem = await tell({ ...parts, flavour, instance, networkId, expect, note }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const seconds = (Date.now() - since) / 1000;
    done.push({ flavour, chapter, sentences, seconds, ...(problem === undefined ? {} : { problem }) });
    say(`${flavour}: ${chapter}: ${problem === undefined ? 'ok' : `FAILED: ${problem}`} (${seconds.toFixed(0)} s)`);
    if (problem !== undefined) break;
  }
  return done;
}

async function complete(cluster: Cluster, task: string, body: object): Promise<void> {
  const { vnflow, env, instance, expect, note } = cluster;
  const operation = await vnflow.begin(instance, task, body);
  let settled = await vnflow.settled(operation);
  for (let retry = 1; settled.operationState === 'FAILED_TEMP' && retry <= env.VNFLOW_TEST_RETRIES; retry += 1) {
    note(`${task} is retried (${retry}) after ${settled.error?.code ?? ''}: ${settled.error?.detail ?? ''}`);
    await vnflow.control(operation, 'retry');
    settled = await vnflow.settled(operation);
  }
  const { operationState, error } = settled;
  const why = error ? `: ${error.code ?? ''} ${error.detail ?? ''}` : '';
  expect(
    operationState === 'COMPLETED',
    `${task} is COMPLETED${operationState === 'COMPLETED' ? '' : `, not ${operationState}${why}`}`,
  );
}

async function failAndRollBack(cluster: Cluster): Promise<void> {
  const { vnflow, cloud, env, instance, networkId, expect } = cluster;
  const body = realRequest('simple', env, { networkId, password: 'not-the-password' });
  const operation = await vnflow.begin(instance, 'instantiate', body);
  const { operationState, error } = await vnflow.settled(operation);
  expect(operationState === 'FAILED_TEMP', 'a wrong password of the nodes leads to FAILED_TEMP');
  expect(error?.code === 'NODE_AUTH', `the error is NODE_AUTH: ${error?.detail ?? ''}`);
  await vnflow.control(operation, 'rollback');
  expect((await vnflow.settled(operation)).operationState === 'ROLLED_BACK', 'the rollback ends in ROLLED_BACK');
  expect(!(await cloud.stacks()).includes(`vnf-${instance}`), 'Heat has no stack of it any more');
}

async function instantiate(
  cluster: Cluster,
  { masters, workers }: { masters: number; workers: number },
): Promise<void> {
  const { env, networkId, flavour, expect, vnflow, instance } = cluster;
  await complete(cluster, 'instantiate', realRequest(flavour, env, { networkId }));
  const servers = await vnflow.servers(instance);
  expect(ofVdu(servers, MASTER).length === masters, `there are ${masters} control-plane nodes`);
  expect(ofVdu(servers, WORKER).length === workers, `there are ${workers} workers`);
  await checkCluster(cluster);
}

async function changeWorkers(cluster: Cluster, body: object, workers: number): Promise<void> {
  const { vnflow, instance, expect } = cluster;
  const before = await vnflow.servers(instance);
  await complete(cluster, 'scale', body);
  const after = await vnflow.servers(instance);
  expect(ofVdu(after, WORKER).length === workers, `there are ${workers} workers`);
  const [fewer, more] = before.length < after.length ? [before, after] : [after, before];
  expect(
    fewer.every(({ id }) => more.some((server) => server.id === id)),
    'all others kept their servers',
  );
  await checkCluster(cluster);
}

interface Replaced {
  readonly vdu: string;
  readonly count: number;
  /** True: their servers are switched off in Nova first. */
  readonly isDead: boolean;
  readonly additionalParams?: object;
}

async function replaceNodes(cluster: Cluster, { vdu, count, isDead, additionalParams }: Replaced): Promise<void> {
  const { vnflow, cloud, instance, expect } = cluster;
  const before = await vnflow.servers(instance);
  const victims = ofVdu(before, vdu).slice(-count);
  if (isDead)
    for (const { id } of victims) if ((await cloud.serverStatus(id)) !== 'SHUTOFF') await cloud.stopServer(id);
  const vnfcInstanceId = victims.map(({ vnfc }) => vnfc);
  await complete(cluster, 'heal', { vnfcInstanceId, ...(additionalParams ? { additionalParams } : {}) });
  const after = await vnflow.servers(instance);
  expect(after.length === before.length, `there are ${before.length} servers as before`);
  expect(
    victims.every(({ id }) => !after.some((server) => server.id === id)),
    'the healed nodes have other servers',
  );
  const stay = before.filter(({ id }) => !victims.some((victim) => victim.id === id));
  expect(
    stay.every(({ id }) => after.some((server) => server.id === id)),
    'all others kept their servers',
  );
  for (const { id } of victims)
    expect((await cloud.serverStatus(id)) === undefined, `Nova has no server ${id} any more`);
  await checkCluster(cluster);
}

async function restoreFromSurvivor(cluster: Cluster): Promise<void> {
  const { vnflow, cloud, instance, expect } = cluster;
  const victims = ofVdu(await vnflow.servers(instance), MASTER).slice(-2);
  for (const { id } of victims) await cloud.stopServer(id);
  const body = { vnfcInstanceId: victims.map(({ vnfc }) => vnfc) };
  const refused = await vnflow.settled(await vnflow.begin(instance, 'heal', body));
  expect(refused.operationState === 'ROLLED_BACK', 'without allow_restore the heal is refused');
  expect(refused.error?.code === 'QUORUM_LOST', `the error is QUORUM_LOST: ${refused.error?.detail ?? ''}`);
  await replaceNodes(cluster, { vdu: MASTER, count: 2, isDead: true, additionalParams: { allow_restore: true } });
}

async function terminate(cluster: Cluster): Promise<void> {
  const { vnflow, cloud, instance, expect } = cluster;
  const servers = await vnflow.servers(instance);
  await complete(cluster, 'terminate', { terminationType: 'FORCEFUL' });
  await vnflow.remove(instance);
  expect(!(await cloud.stacks()).includes(`vnf-${instance}`), 'Heat has no stack of it any more');
  for (const { id } of servers)
    expect((await cloud.serverStatus(id)) === undefined, `Nova has no server ${id} any more`);
}

/** Asks Nova for the servers, and the API server of the cluster for its nodes. */
async function checkCluster({ vnflow, cloud, env, instance, expect }: Cluster): Promise<void> {
  const servers = await vnflow.servers(instance);
  for (const { id } of servers) expect((await cloud.serverStatus(id)) === 'ACTIVE', `server ${id} is ACTIVE in Nova`);
  const [master] = ofVdu(servers, MASTER);
  const address = await cloud.address(master?.id ?? '', env.VNFLOW_TEST_NETWORK);
  const ask = 'sudo -n kubectl --kubeconfig /etc/kubernetes/admin.conf get node --no-headers';
  const limit = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const rows = (await runOnNode(env, address, ask)).trim().split('\n');
    const ready = rows.filter((row) => row.split(/\s+/)[1] === 'Ready').length;
    if ((ready === servers.length && rows.length === servers.length) || Date.now() > limit) {
      expect(
        rows.length === servers.length && ready === rows.length,
        `all ${servers.length} nodes are Ready, and there are no others`,
      );
      return;
    }
    await delay(2_000);
  }
}

function ofVdu(servers: readonly RealServer[], vdu: string): RealServer[] {
  return servers.filter(({ vduId }) => vduId === vdu);
}
