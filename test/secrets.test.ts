import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { listClusterBackups } from '../store/cluster-backups.ts';
import { secretName } from '../store/secrets.ts';
import { readTraceSettings } from '../worker/trace-settings.ts';
import { readHistories } from './testing/read-histories.ts';
import { type CollectedSpan, type SpanCollector, startSpanCollector } from './testing/span-collector.ts';
import { createInstance, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';

/** Values that no other place has: a place where one is found has leaked it. */
const VIM_PASSWORD = 'canary-vim-7Gq2xW';
const NODE_PASSWORD = 'canary-node-4Hs9pL';
/** Of the simulated site's proxy. */
const PROXY_PASSWORD = 'password1';

const COLLECTOR_KEY = 'canary-collector-9Tr3kV';
/** The trace of a client that asks for the instantiate. */
const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const logged: string[] = [];
const sample = mkdtempSync(path.join(tmpdir(), 'vnflow-canary-'));
let system: System;
let collector: SpanCollector;

beforeAll(async () => {
  collector = await startSpanCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `api-key=${COLLECTOR_KEY}`);
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
  const traces = readTraceSettings(process.env);
  system = await startSystem({ traces, log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }) });
  const user = system.simulator.cloud.state.users.find(({ name }) => name === 'nfv_user');
  if (user) Object.assign(user, { password: VIM_PASSWORD });
  cpSync(fileURLToPath(new URL('../samples/kubernetes-cluster', import.meta.url)), sample, { recursive: true });
  // cloud-init sets the nodes' password, as an operator's own HOT may do
  const nested = path.join(sample, 'BaseHOT', 'simple', 'nested');
  for (const file of readdirSync(nested)) {
    const hot = readFileSync(path.join(nested, file), 'utf8');
    const userData = `      user_data_format: RAW\n      user_data: "#cloud-config\\npassword: ${NODE_PASSWORD}\\n"\n`;
    writeFileSync(path.join(nested, file), hot.replace(/(type: OS::Nova::Server\n\s+properties:\n)/, `$1${userData}`));
  }
});
afterAll(async () => {
  await system.stop();
  await collector.stop();
  rmSync(sample, { recursive: true });
});

it('lets no password, join token, token, key or snapshot of the cluster appear in any history, log, trace, process list, answer or stored row, in a whole life', async () => {
  const { http, simulator } = system;
  const answers: unknown[] = [];
  http.interceptors.response.use((answer) => {
    answers.push(answer.data, answer.headers);
    return answer;
  });
  const id = await createInstance(http, await onboardSample(http, sample));
  const body = system.instantiateBody();
  body.vimConnectionInfo.vim1.accessInfo.password = VIM_PASSWORD;
  const cluster = body.additionalParams.k8s_cluster_installation_param;
  cluster.master_node.password = NODE_PASSWORD;
  cluster.worker_node.password = NODE_PASSWORD;
  cluster.install_parameters = { ENCRYPT_SECRETS: 'secretbox' };
  cluster.proxy = { http_proxy: simulator.proxyUrl, k8s_node_cidr: '10.10.0.0/24' };
  expect(simulator.proxyUrl).toContain(PROXY_PASSWORD);
  // a failure, too: people see its error and the end of its log
  simulator.nodes.faults.add({
    kind: 'command',
    commandPrefix: 'kubeadm init',
    times: 1,
    exitCode: 1,
    stderr: 'could not initialize',
  });
  const headers = { traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-01` };
  const operation = operationOf(await http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body, { headers }));
  expect((await settled(http, operation)).operationState).toBe('FAILED_TEMP');
  await http.get(operation.replace('/vnflcm/v2', '/vnflow/v1').concat('/timeline'));
  await http.post(`${operation}/retry`);
  expect(await settled(http, operation)).toMatchObject({ operationState: 'COMPLETED' });
  await http.get(`/vnflcm/v2/vnf_instances/${id}`);
  await http.get('/vnflcm/v2/vnf_lcm_op_occs?all_fields');
  await http.get(operation.replace('/vnflcm/v2', '/vnflow/v1').concat('/timeline'));

  // a restore, too: the backup goes back to a node
  const { data: instance } = await http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const { vnfcInfo } = instance.instantiatedVnfInfo;
  const lost = vnfcInfo.find(({ vduId }: { vduId: string }) => vduId === 'masterNode');
  const old = await backupCanaries(id);
  simulator.cloud.power(lost.vnfcResourceInfoId, 'stop');
  const heal = operationOf(await http.post(`/vnflcm/v2/vnf_instances/${id}/heal`, { vnfcInstanceId: [lost.id] }));
  expect(await settled(http, heal)).toMatchObject({ operationState: 'COMPLETED' });
  await http.get(heal.replace('/vnflcm/v2', '/vnflow/v1').concat('/timeline'));

  const { data: registered } = await http.get('/v1.0/vims');
  expect(registered.vims).toMatchObject([{ type: 'kubernetes', auth_cred: { bearer_token: '***' } }]);
  const sealedVim = await system.secrets.get(secretName.vim(registered.vims[0].id));
  const { bearer_token: bearerToken } = sealedVim as { bearer_token: string };
  const [state] = simulator.nodes.clusters();
  const tokens = Object.entries(state?.tokens ?? {}).map(([tokenId, { secret }]) => `${tokenId}.${secret}`);
  expect(tokens.length).toBeGreaterThan(0);
  http.interceptors.response.clear(); // this answer is the one that has a credential
  const { data: kubeconfig } = await http.post<string>(`/vnflow/v1/vnf_instances/${id}/kubeconfig`, {});
  const access = /token: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  expect(access.split('.')).toHaveLength(3);
  const canaries = [
    access,
    VIM_PASSWORD,
    NODE_PASSWORD,
    PROXY_PASSWORD,
    COLLECTOR_KEY,
    ...tokens,
    bearerToken,
    Buffer.from(bearerToken).toString('base64'),
    ...(state?.certificates ? [state.certificates.key] : []),
    ...old,
    ...(await backupCanaries(id)),
  ];
  const processes = simulator.nodes.list().flatMap((node) => node.processes());
  const readable = simulator.nodes
    .list()
    .flatMap((node) => node.filesBelow('/var/lib/vnflow').map((file) => `${file}: ${node.file(file) ?? ''}`));
  const places: Record<string, string> = {
    'Temporal histories': await readHistories(system.temporal.address),
    'the log': logged.join('\n'),
    'API answers': JSON.stringify(answers),
    traces: collector.text(),
    'command lines on nodes': JSON.stringify([simulator.ledger.entries(), processes]),
    'job files left on nodes': readable.filter((line) => !line.includes('/kubernetes/')).join('\n'),
    'rows of the store': await rows(),
  };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(100);
    for (const canary of canaries) expect(text.includes(canary), `${canary} in ${place}`).toBe(false);
  }
  const terminated = operationOf(
    await http.post(`/vnflcm/v2/vnf_instances/${id}/terminate`, { terminationType: 'FORCEFUL' }),
  );
  expect(await settled(http, terminated)).toMatchObject({ operationState: 'COMPLETED' });
  expect(await system.db.selectFrom('secret').selectAll().execute()).toEqual([]);
  expect(await system.db.selectFrom('clusterBackupChunk').selectAll().execute()).toEqual([]);
}, 120_000);

it('made one trace of the instantiate, from the request to the commands on the nodes', async () => {
  const { spans } = collector;
  const own = () => spans.filter(({ traceId }) => traceId === CLIENT.traceId);
  const named = (name: string) => own().filter((span) => span.name === name);
  const pathTo = ({ name, parentSpanId }: CollectedSpan): string[] => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    return [...(parent ? pathTo(parent) : []), name];
  };
  const request = 'POST /vnflcm/v2/vnf_instances/:id/instantiate';
  await vi.waitFor(() => expect(named('INSTANTIATE')).toHaveLength(1), { timeout: 10_000 });
  expect(named('INSTANTIATE')[0]).toMatchObject({
    status: { code: 0 },
    attributes: { 'vnflow.operation.state': 'COMPLETED', 'vnflow.instance.id': expect.any(String) },
    events: ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'PROCESSING', 'COMPLETED'].map((name) => ({ name })),
  });
  expect(named(request).map(({ parentSpanId, kind }) => [parentSpanId, kind])).toEqual([[CLIENT.spanId, 2]]);
  const paths = own().map((span) => pathTo(span).join(' > '));
  const others = paths.filter((path) => path !== request && !path.startsWith(`${request} > `));
  expect(others, 'the system asks for a plan first').toEqual(['POST /vnflow/v1/vnf_instances/:id/plan']);
  expect(paths).toContain(`${request} > INSTANTIATE > initControlPlane > job init > ssh start job`);
  expect(paths).toContain(`${request} > INSTANTIATE > prepareNode > ssh login`);
  expect(paths).toContain(`${request} > INSTANTIATE > applyStack > wait for stack create`);
  expect(paths).toContain(`${request} > INSTANTIATE > applyStack > Heat POST /heat-api/v1/{id}/stacks`);
  expect(named('initControlPlane').map(({ attributes, status }) => ({ ...attributes, ...status }))).toMatchObject([
    { 'vnflow.step.attempt': 1, 'vnflow.step.outcome': 'FAILED', 'error.type': 'NODE_COMMAND_FAILED', code: 2 },
    { 'vnflow.step.attempt': 2, 'vnflow.step.outcome': 'DONE', 'vnflow.step.slot': 'masterNode[0]', code: 0 },
  ]);
  expect(named('job init').map(({ attributes }) => attributes['process.exit.code'])).toEqual([1, 0]);
  expect(collector.headers[0]).toMatchObject({ 'api-key': COLLECTOR_KEY });
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'vnflow', 'deployment.environment.name': 'test' });
});

/**
 * Lines of the cluster's keys, and pieces of the backup as it travels, as text, base64 and hexadecimal (as a row shows
 * bytes).
 */
async function backupCanaries(id: string): Promise<string[]> {
  const [backup] = await listClusterBackups(system.db, id);
  if (!backup) throw new Error('no backup was taken');
  const archive = await system.backups.read(backup);
  const master = system.simulator.nodes.list().find(({ hostname }) => hostname.startsWith('master'));
  const keys = ['ca.key', 'sa.key', 'etcd/ca.key'].map((file) => master?.file(`/etc/kubernetes/pki/${file}`) ?? '');
  const lines = keys.map((pem) => pem.split('\n')[1] ?? '');
  expect(lines.every((line) => line.length > 60 && gunzipSync(archive).includes(line))).toBe(true);
  const encryption = master?.file('/etc/kubernetes/pki/encryption.yaml') ?? '';
  const key = /secret: (\S{44})$/m.exec(encryption)?.[1] ?? '';
  expect(key !== '' && gunzipSync(archive).includes(key)).toBe(true);
  lines.push(key, Buffer.from(encryption).toString('base64'));
  const pieces = [archive.subarray(300, 348), ...lines.map((line) => Buffer.from(line))];
  return [...lines, ...pieces.flatMap((piece) => [piece.toString('base64'), piece.toString('hex')])];
}

/** Every row of every table but the package's own files (which the operator wrote) and what is sealed. */
async function rows(): Promise<string> {
  const tables = await sql<{
    name: string;
  }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(system.db);
  const texts = await Promise.all(
    tables.rows
      .filter(({ name }) => !name.startsWith('vnf_package'))
      .map(async ({ name }) =>
        JSON.stringify((await sql`select t::text as row from ${sql.table(name)} t`.execute(system.db)).rows),
      ),
  );
  return texts.join('\n');
}
