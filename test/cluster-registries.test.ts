import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AxiosResponse } from 'axios';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../activities/registry/certificates.ts';
import { sshExec } from '../simulator/index.ts';
import { runKubectl } from './testing/kubectl.ts';
import { readHistories } from './testing/read-histories.ts';
import {
  createInstance,
  guideRequest,
  onboardSample,
  operationOf,
  type System,
  settled,
  startSystem,
} from './testing/system.ts';
import { guideRequestV1, registerVim, V1_SAMPLE } from './testing/v1-guide.ts';

const LIMIT = 240_000;
const CLUSTER = 'k8s_cluster_installation_param';
const CONNECTIONS = 'private_registry_connection_info';
const NAME = 'registry.example.com';
const PASSWORDS = ['user01', 'rotated-password', 'wrong-password'] as const;

let system: System;
let vimId: string;
let registry: { readonly address: string; readonly server: string };
let cluster: string;

/** A registry VNF as of the guide, which speaks HTTP; and with the same images one that speaks HTTPS and wants a login. */
beforeAll(async () => {
  system = await startSystem({ speed: 60 });
  vimId = await registerVim(system);
  const vnfdId = await onboardSample(system.http, path.join('samples', 'private-registry'));
  const id = await createInstance(system.http, vnfdId);
  const body = guideRequest('instantiate-private-registry.json', system.simulator.authUrl);
  await completes(system.http.post(`/vnflcm/v2/vnf_instances/${id}/instantiate`, body));
  const { data } = await system.http.get(`/vnflcm/v2/vnf_instances/${id}`);
  const server = data.instantiatedVnfInfo.vnfcResourceInfo[0].computeResource.resourceId;
  registry = { server, address: system.simulator.nodes.node(server)?.addresses[0] ?? '' };
  const authority = createAuthority('authority of a test');
  const { certificate, privateKey } = issueServerCertificate(authority, [NAME]);
  await onRegistry(`mkdir -p /access; echo '${certificate}' > /access/tls.crt; echo '${privateKey}' > /access/tls.key`);
  await setPassword(PASSWORDS[0]);
  await onRegistry(`docker run -d --restart always --name secure -p 443:5000 -v /access:/access \
-v /private_registry:/var/lib/registry -e REGISTRY_HTTP_TLS_CERTIFICATE=/access/tls.crt \
-e REGISTRY_HTTP_TLS_KEY=/access/tls.key -e REGISTRY_AUTH=htpasswd -e REGISTRY_AUTH_HTPASSWD_REALM=r \
-e REGISTRY_AUTH_HTPASSWD_PATH=/access/htpasswd registry:2.8.3`);
  await push(['1', '2', '3', '4', '5']);
  cluster = await createCluster(authority.certificate);
}, LIMIT);
afterAll(() => system.stop());

async function root(address: string, script: string): Promise<string> {
  const command = 'sudo bash -s';
  const { code, stdout, stderr } = await sshExec(system.simulator.nodes, address, { command, stdin: script });
  if (code !== 0) throw new Error(`${script.slice(0, 100)}: ${stderr}`);
  return stdout;
}
const onRegistry = (script: string) => root(registry.address, script);
const setPassword = (password: string) => onRegistry(`echo '${'user01'}:${hashSync(password, 4)}' > /access/htpasswd`);
const push = (tags: readonly string[]) =>
  onRegistry(
    `docker pull -q busybox:1\n${tags.map((tag) => `docker tag busybox:1 localhost:5000/app:${tag} && docker push localhost:5000/app:${tag}`).join('\n')}`,
  );

/** The package of the guide with the certificate of the registry's authority. @returns path of an instance of it */
async function createCluster(certificate: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-registries-'));
  try {
    cpSync(V1_SAMPLE, folder, { recursive: true });
    mkdirSync(path.join(folder, 'Files', 'registries'), { recursive: true });
    writeFileSync(path.join(folder, 'Files', 'registries', 'ca.crt'), certificate);
    return `/vnflcm/v1/vnf_instances/${await createInstance(system.http, await onboardSample(system.http, folder))}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The body of guide 004, verbatim but for ids, proxy and addresses. */
function guide() {
  const text = JSON.stringify(guideRequestV1('instantiate-registries', system.simulator, vimId));
  return JSON.parse(
    text
      .replace('192.168.0.10:5000', `${registry.address}:5000`)
      .replace('192.168.0.20 ', `${registry.address} `)
      .replace('"k8s_node_cidr":"192.168.0.0/24"', '"k8s_node_cidr":"10.10.0.0/24"'),
  );
}

const connections = (password: string) => {
  const [http, https] = guide().additionalParams[CLUSTER][CONNECTIONS];
  return [http, { ...https, password }];
};
const v2 = () => cluster.replace('/v1/', '/v2/');
const change = (value: unknown) => system.http.patch(v2(), { vnfConfigurableProperties: { [CONNECTIONS]: value } });

async function ends(answer: Promise<AxiosResponse>) {
  return settled(system.http, operationOf(await answer), { timeoutMs: LIMIT });
}

async function completes(answer: Promise<AxiosResponse>): Promise<void> {
  const { operationState, error } = await ends(answer);
  expect({ operationState, error }).toEqual({ operationState: 'COMPLETED' });
}

const nodes = () => system.simulator.nodes.list().filter(({ hostname }) => /^(master|worker)/.test(hostname));
const nodeOf = (hostname: string) => nodes().find((one) => one.hostname === hostname)?.addresses[0] ?? '';

/** What becomes of a pod on each node with this image. */
async function podsWith(image: string, on = nodes().map(({ hostname }) => hostname)): Promise<Record<string, string>> {
  const label = image.replace(/[^a-z0-9]/g, '-');
  const pods = on.map((nodeName) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${nodeName}-${label}`, namespace: 'default' },
    spec: { nodeName, containers: [{ name: 'app', image }] },
  }));
  await runKubectl(system.simulator, 'apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }));
  const states: Record<string, string> = {};
  for (const { metadata, spec } of pods) {
    const line = () => runKubectl(system.simulator, `get pod ${metadata.name} --no-headers`);
    await expect.poll(line, { timeout: 20_000 }).toMatch(/Running|ErrImagePull|ImagePullBackOff/);
    states[spec.nodeName] = (await line()).trim().split(/\s+/)[2] ?? '';
  }
  return states;
}

const everywhere = (state: string) => Object.fromEntries(nodes().map(({ hostname }) => [hostname, state]));

/** Which of the passwords a user of a node who is not root can read in a file, or sees in a process. */
async function leaks(): Promise<string[]> {
  const secrets = [...PASSWORDS.slice(1), Buffer.from(`user01:${PASSWORDS[0]}`).toString('base64')];
  const patterns = [...secrets, ...PASSWORDS.map((one) => Buffer.from(`user01:${one}`).toString('base64'))];
  const found = patterns.filter((secret) => {
    const commands = system.simulator.ledger.entries().filter(({ kind }) => kind === 'command');
    return commands.some(({ what }) => what.includes(secret));
  });
  for (const { hostname, addresses } of nodes()) {
    for (const file of ['/etc/hosts', '/etc/containerd/config.toml', `/etc/containerd/certs.d/${NAME}/hosts.toml`]) {
      const { stdout } = await sshExec(system.simulator.nodes, addresses[0] ?? '', { command: `cat ${file}` });
      found.push(
        ...patterns.filter((secret) => stdout.includes(secret)).map((secret) => `${hostname} ${file} ${secret}`),
      );
    }
    const { code } = await sshExec(system.simulator.nodes, addresses[0] ?? '', {
      command: 'cat /var/lib/kubelet/config.json',
    });
    if (code === 0) found.push(`${hostname} /var/lib/kubelet/config.json`);
  }
  return found;
}

it(
  "runs pods from the registries of guide 004's request on every node, and shows no password",
  async () => {
    const wrong = guide();
    wrong.additionalParams[CLUSTER][CONNECTIONS][1].connection_type = '2';
    const refused = await system.http.post(`${cluster}/instantiate`, wrong);
    expect([refused.status, refused.data.detail]).toEqual([
      400,
      expect.stringContaining(`${CLUSTER}.${CONNECTIONS}.1.connection_type: must be 0 (HTTP) or 1 (HTTPS)`),
    ]);
    await completes(system.http.post(`${cluster}/instantiate`, guide()));
    expect(await podsWith(`${registry.address}:5000/app:1`)).toEqual(everywhere('Running'));
    expect(await podsWith(`${NAME}/app:1`)).toEqual(everywhere('Running'));
    const { data } = await system.http.get(cluster);
    const [, shown] = data.instantiatedVnfInfo.additionalParams[CLUSTER][CONNECTIONS];
    expect(shown).toEqual({ ...connections('')[1], password: undefined });
    expect(await leaks()).toEqual([]);
  },
  LIMIT,
);

it(
  'a PATCH with a wrong password changes no node and says which registry; it is rolled back',
  async () => {
    const { id, operationState, error } = await ends(change(connections(PASSWORDS[2])));
    expect([operationState, error.code]).toEqual(['FAILED_TEMP', 'REGISTRY_LOGIN']);
    expect(error.detail).toMatch(
      /(master|worker)\d+ \(10\.10\.0\.\d+\) cannot use the private registry registry\.example/,
    );
    await system.http.post(`/vnflcm/v2/vnf_lcm_op_occs/${id}/rollback`);
    expect((await settled(system.http, `/vnflcm/v2/vnf_lcm_op_occs/${id}`)).operationState).toBe('ROLLED_BACK');
    expect(await podsWith(`${NAME}/app:2`)).toEqual(everywhere('Running'));
  },
  LIMIT,
);

it(
  'a PATCH rotates the password on every node: one operation with a plan',
  async () => {
    await setPassword(PASSWORDS[1]);
    const request = { vnfConfigurableProperties: { [CONNECTIONS]: connections(PASSWORDS[1]) } };
    const asked = { operation: 'MODIFY_INFO', request };
    const plan = await system.http.post(`${v2().replace('/vnflcm/v2/', '/vnflow/v1/')}/plan`, asked);
    expect(plan.data.steps.map(({ id: step }: { id: string }) => step)).toHaveLength(nodes().length);
    const { id, operation, operationState, changedInfo } = await ends(change(connections(PASSWORDS[1])));
    expect([operation, operationState]).toEqual(['MODIFY_INFO', 'COMPLETED']);
    expect(JSON.stringify(changedInfo)).toContain(NAME);
    const { data } = await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${id}/timeline`);
    expect(data.steps.map(({ kind }: { kind: string }) => kind)).toEqual(nodes().map(() => 'connectRegistries'));
    expect(await podsWith(`${NAME}/app:3`)).toEqual(everywhere('Running'));
    const answers = JSON.stringify([data, changedInfo, (await system.http.get(v2())).data]);
    expect(PASSWORDS.filter((password) => answers.includes(`"${password}"`) && password !== 'user01')).toEqual([]);
    expect(await leaks()).toEqual([]);
  },
  LIMIT,
);

it(
  'a scale whose registry is down fails with its name, and goes on when it is back: with the password of the PATCH',
  async () => {
    const before = nodes().map(({ hostname }) => hostname);
    system.simulator.nodes.hypervisor.power(registry.server, 'stop');
    const scale = { type: 'SCALE_OUT', aspectId: 'worker_instance', numberOfSteps: '1' };
    const repeated = { [CLUSTER]: guide().additionalParams[CLUSTER] };
    const { id, operationState, error } = await ends(
      system.http.post(`${cluster}/scale`, { ...scale, additionalParams: repeated }),
    );
    expect([operationState, error.code]).toEqual(['FAILED_TEMP', 'REGISTRY_UNREACHABLE']);
    expect(error.detail).toContain(`private registry ${registry.address}:5000`);
    system.simulator.nodes.hypervisor.power(registry.server, 'start');
    await expect.poll(() => onRegistry('docker ps -q').catch(() => ''), { timeout: 30_000 }).not.toBe('');
    const path = `/vnflcm/v2/vnf_lcm_op_occs/${id}`;
    await system.http.post(`${path}/retry`);
    expect((await settled(system.http, path, { timeoutMs: LIMIT })).operationState).toBe('COMPLETED');
    const added = nodes().flatMap(({ hostname }) => (before.includes(hostname) ? [] : [hostname]));
    expect(added).toHaveLength(1);
    expect(await podsWith(`${NAME}/app:3`, added)).toEqual({ [added[0] ?? '']: 'Running' });
  },
  LIMIT,
);

it(
  'a healed worker pulls as the others do',
  async () => {
    const { data } = await system.http.get(v2());
    const [worker] = data.instantiatedVnfInfo.vnfcInfo.filter(({ vduId }: { vduId: string }) => vduId === 'workerNode');
    await completes(system.http.post(`${v2()}/heal`, { vnfcInstanceId: [worker.id] }));
    expect(await podsWith(`${NAME}/app:4`)).toEqual(everywhere('Running'));
  },
  LIMIT,
);

it(
  'a PATCH withdraws the registries: nothing of them is left on a node',
  async () => {
    await completes(change(null));
    expect(
      await podsWith(
        `${NAME}/app:5`,
        nodes()
          .slice(0, 1)
          .map(({ hostname }) => hostname),
      ),
    ).toEqual({
      [nodes()[0]?.hostname ?? '']: expect.stringMatching(/ErrImagePull|ImagePullBackOff/),
    });
    for (const { hostname } of nodes()) {
      const left = `ls /etc/containerd/certs.d; grep -c example /etc/hosts; grep -c auth\\" /var/lib/kubelet/config.json; true`;
      expect((await root(nodeOf(hostname), left)).trim().split('\n')).toEqual(['0', '0']);
    }
    expect((await system.http.get(v2())).data.vnfConfigurableProperties ?? {}).toEqual({});
  },
  LIMIT,
);

it('no password of a registry is in a history, an answer, or a command line on a node', async () => {
  const histories = await readHistories(system.temporal.address);
  expect(histories).toContain('connectRegistries');
  const { data } = await system.http.get('/vnflcm/v2/vnf_lcm_op_occs?all_fields');
  const places = [histories, JSON.stringify(data), JSON.stringify(system.simulator.ledger.entries())];
  // the first password of the guide is its user's name, too
  for (const password of PASSWORDS.slice(1)) {
    const texts = [password, Buffer.from(`user01:${password}`).toString('base64')];
    expect(places.filter((text) => texts.some((one) => text.includes(one)))).toEqual([]);
  }
});
