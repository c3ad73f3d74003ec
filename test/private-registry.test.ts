import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sshExec } from '../simulator/index.ts';
import { readHistories } from './testing/read-histories.ts';
import { guideRequest, onboardSample, operationOf, type System, settled, startSystem } from './testing/system.ts';
import { guideRequestV1, registerVim } from './testing/v1-guide.ts';

const LIMIT = 240_000;
/** Room for two images, not for twenty. */
const COPY_LIMIT = 32 * 1024;
const SAMPLE = path.join('samples', 'private-registry');
const VNFD = 'c1bb0ce7-ebca-4fa7-95ed-4840d70a118f';
const PARAMETERS = 'private_registry_installation_param';

let system: System;
let vimId: string;
let empty: ReturnType<System['simulator']['fingerprint']>;
beforeAll(async () => {
  system = await startSystem({ speed: 60, registryCopyLimitBytes: COPY_LIMIT });
  vimId = await registerVim(system);
}, LIMIT);
afterAll(() => system.stop());

/** A registry VNF, operated through one version of the API. */
class Registry {
  readonly instance: string;
  readonly port: number;

  constructor(instance: string, port: number) {
    this.instance = instance;
    this.port = port;
  }

  static async create(vnfdId: string, { version, port = 5000 }: { version: 'v1' | 'v2'; port?: number }) {
    const instances = `/vnflcm/${version}/vnf_instances`;
    const { status, data } = await system.http.post(instances, { vnfdId });
    expect(status).toBe(201);
    return new Registry(`${instances}/${data.id}`, port);
  }

  ask(task: string, body: object) {
    return system.http.post(`${this.instance}/${task}`, body);
  }

  /** @returns status and detail of an answer that refuses */
  async refusal(task: string, body: object): Promise<[status: number, detail: string, code: string]> {
    const { status, data } = await this.ask(task, body);
    return [status, data.detail, data.code];
  }

  /** @returns path of the operation, which has completed */
  async complete(task: string, body: object): Promise<string> {
    const operation = operationOf(await this.ask(task, body));
    const { operationState, error } = await settled(system.http, operation, { timeoutMs: LIMIT });
    expect({ operationState, error }).toEqual({ operationState: 'COMPLETED' });
    return operation;
  }

  /** @returns the operation, which ended without having done anything */
  async rolledBack(task: string, body: object) {
    const ended = await settled(system.http, operationOf(await this.ask(task, body)), { timeoutMs: LIMIT });
    expect(ended.operationState).toBe('ROLLED_BACK');
    return ended;
  }

  async info() {
    return (await system.http.get(this.instance)).data.instantiatedVnfInfo;
  }

  async serverId(): Promise<string> {
    return (await this.info()).vnfcResourceInfo[0].computeResource.resourceId;
  }

  async address(): Promise<string> {
    return system.simulator.nodes.node(await this.serverId())?.addresses[0] ?? '';
  }

  /** Runs a script as root on the server. */
  async root(script: string) {
    return sshExec(system.simulator.nodes, await this.address(), { command: 'sudo bash -s', stdin: script });
  }

  /** The command that reads a path of this registry. */
  async curl(where: string): Promise<string> {
    const to = `${await this.address()}:${this.port}${where}`;
    return this.port === 5000
      ? `curl -s --noproxy '*' http://${to}`
      : `curl -sk --noproxy '*' --user '${USERS[0]?.name}:${USERS[0]?.password}' https://${to}`;
  }

  /** What another machine reads from this registry. Undefined when nothing answers. */
  async readFrom(other: Registry, where: string): Promise<unknown> {
    const { stdout } = await other.root(await this.curl(where));
    return stdout === '' ? undefined : JSON.parse(stdout);
  }
}

const guide = () => guideRequestV1('instantiate-private-registry', system.simulator, vimId);
const request = (more: object = {}) => {
  const body = guideRequest('instantiate-private-registry.json', system.simulator.authUrl);
  Object.assign(body.additionalParams[PARAMETERS], more);
  return body;
};

let registry: Registry;
/** It has TLS and users. */
let client: Registry;

const USERS = [{ name: 'alice', password: 'secret1 "2"' }];

async function caOfClient(): Promise<string> {
  const { data } = await system.http.get(`/vnflow/v1/vnf_instances/${client.instance.split('/').at(-1)}/registry/ca`);
  expect(JSON.stringify(data)).not.toContain('PRIVATE');
  return data.certificate;
}

/** The status that another machine, which trusts the CA, gets from `client`. */
async function secureAnswer(user: string): Promise<string> {
  const { stdout } = await registry.root(`cat > /root/ca.crt << 'CA'
${await caOfClient()}CA
curl -s --noproxy '*' --cacert /root/ca.crt -o /dev/null -w '%{http_code}' --user '${user}' https://${await client.address()}:5001/v2/`);
  return stdout;
}

it(
  "is installed by the guide's request, verbatim: shown as the guide shows it, answers, and answers after a reboot",
  async () => {
    const vnfdId = await onboardSample(system.http, SAMPLE);
    empty = system.simulator.fingerprint();
    registry = await Registry.create(vnfdId, { version: 'v1' });
    await registry.complete('instantiate', guide());
    const info = await registry.info();
    expect(info).toMatchObject({
      flavourId: 'simple',
      vnfState: 'STARTED',
      extCpInfo: [{ cpdId: 'CP1', cpProtocolInfo: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
      extVirtualLinkInfo: [{ id: 'net0' }],
      vnfcResourceInfo: [{ vduId: 'PrivateRegistryVDU', storageResourceIds: [], vnfcCpInfo: [{ cpdId: 'CP1' }] }],
      vnfcInfo: [{ vduId: 'PrivateRegistryVDU', vnfcState: 'STARTED' }],
      additionalParams: { [PARAMETERS]: { ssh_cp_name: 'CP1', ssh_username: 'ubuntu' } },
    });
    expect(info.scaleStatus).toBeUndefined();
    expect(JSON.stringify(info)).not.toContain('password1');
    expect(await registry.readFrom(registry, '/v2/')).toEqual({});
    system.simulator.nodes.hypervisor.power(await registry.serverId(), 'reboot');
    await expect
      .poll(() => registry.readFrom(registry, '/v2/').catch(() => undefined), { timeout: 60_000 })
      .toEqual({});
  },
  LIMIT,
);

it(
  'is installed from an image in the package, on another port, with a volume, through version 2',
  async () => {
    const { stdout } = await registry.root(
      'docker save $(docker inspect --format {{.Config.Image}} private_registry) | base64',
    );
    const folder = mkdtempSync(path.join(tmpdir(), 'vnflow-registry-'));
    const vnfdId = 'd2bb0ce7-ebca-4fa7-95ed-4840d70a1190';
    try {
      cpSync(SAMPLE, folder, { recursive: true });
      for (const name of ['sample_vnfd_top.yaml', 'sample_vnfd_types.yaml']) {
        const file = path.join(folder, 'Definitions', name);
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll(VNFD, vnfdId));
      }
      mkdirSync(path.join(folder, 'Files', 'images'), { recursive: true });
      writeFileSync(path.join(folder, 'Files', 'images', 'registry.tar'), Buffer.from(stdout, 'base64'));
      expect(await onboardSample(system.http, folder)).toBe(vnfdId);
    } finally {
      rmSync(folder, { recursive: true });
    }
    client = await Registry.create(vnfdId, { version: 'v2', port: 5001 });
    const image = 'Files/images/registry.tar';
    expect(await client.refusal('instantiate', request({ image_path: 'Files/images/other.tar' }))).toEqual([
      400,
      expect.stringContaining(`${PARAMETERS}.image_path: the VNF package has no file Files/images/other.tar`),
      'BAD_REQUEST',
    ]);
    const body = request({ image_path: image, port_no: '5001', tls: true, users: USERS });
    await client.complete('instantiate', { ...body, flavourId: 'persistent' });
    expect(await secureAnswer('')).toBe('401');
    expect(await secureAnswer('alice:wrong')).toBe('401');
    expect(await secureAnswer('alice:secret1 "2"')).toBe('200');
    const commands = system.simulator.ledger
      .entries()
      .filter(({ kind, what }) => kind === 'command' && /^docker (pull|load)/.test(what));
    expect(commands.map(({ what }) => what.split(' ')[1])).toEqual(['pull', 'load']);
  },
  LIMIT,
);

it('takes an image that another machine pushes', async () => {
  const target = `${await registry.address()}:5000/tools/busybox:1`;
  const pushed = await client.root(`echo '{"insecure-registries":["${target.split('/')[0]}"]}' > /etc/docker/daemon.json
systemctl restart docker && docker pull busybox:1 && docker tag busybox:1 ${target} && docker push ${target}`);
  expect(pushed).toMatchObject({ code: 0, stderr: '' });
  expect(await registry.readFrom(client, '/v2/tools/busybox/tags/list')).toEqual({
    name: 'tools/busybox',
    tags: ['1'],
  });
});

/** The digest of each tag of the registry, as another machine sees it. */
async function digestsIn(registryOf: Registry): Promise<Record<string, string>> {
  const list = (await registryOf.readFrom(client, '/v2/_catalog')) as { readonly repositories: readonly string[] };
  const digests: Record<string, string> = {};
  for (const name of list.repositories) {
    const { tags } = (await registryOf.readFrom(client, `/v2/${name}/tags/list`)) as {
      readonly tags: readonly string[];
    };
    const commands = await Promise.all(tags.map((tag) => registryOf.curl(`/v2/${name}/manifests/${tag}`)));
    const script = commands.map((command) => `${command} | sha256sum`).join('\n');
    const lines = (await client.root(script)).stdout.trim().split('\n');
    tags.forEach((tag, index) => {
      digests[`${name}:${tag}`] = lines[index] ?? '';
    });
  }
  return digests;
}

/** The steps of an operation with the ends of their logs, by kind. */
async function logsOf(operation: string): Promise<Record<string, string | undefined>> {
  const { data } = await system.http.get(`/vnflow/v1/vnf_lcm_op_occs/${operation.split('/').at(-1)}/timeline`);
  return Object.fromEntries(data.steps.map(({ kind, logTail }: { kind: string; logTail?: string }) => [kind, logTail]));
}

it(
  'is healed by its VNFC, as in the guide: another server with the address and the images of the old one',
  async () => {
    const [vnfc] = (await registry.info()).vnfcResourceInfo;
    const address = await registry.address();
    const server = await registry.serverId();
    const before = await digestsIn(registry);
    const operation = await registry.complete('heal', { vnfcInstanceId: vnfc.id });
    expect(await registry.serverId()).not.toBe(server);
    expect(await registry.address()).toBe(address);
    expect(Object.keys(before)).toEqual(['tools/busybox:1']);
    expect(await digestsIn(registry)).toEqual(before);
    expect(await logsOf(operation)).toMatchObject({
      copyImagesOut: expect.stringContaining('1 images'),
      copyImagesIn: '1 images are back; every tag and digest was checked.\n',
    });
    expect(await system.db.selectFrom('registryCopyPiece').select('name').execute()).toEqual([]);
  },
  LIMIT,
);

it(
  'with more images than the store keeps, it is healed entirely only when the request names a container of Swift',
  async () => {
    const target = `${await registry.address()}:5000`;
    const pushes = Array.from({ length: 19 }, (_, index) => `app${index % 4}:v${index}`).map(
      (image) => `docker pull ${image} && docker tag ${image} ${target}/${image} && docker push ${target}/${image}`,
    );
    expect(await client.root(pushes.join(' && '))).toMatchObject({ code: 0, stderr: '' });
    const before = await digestsIn(registry);
    expect(Object.keys(before)).toHaveLength(20);
    const server = await registry.serverId();
    const heal = { additionalParams: { all: true } };
    const v2 = new Registry(registry.instance.replace('/v1/', '/v2/'), registry.port);
    expect(await v2.refusal('heal', { additionalParams: { accept_content_loss: 'yes' } })).toEqual([
      400,
      expect.stringContaining('accept_content_loss'),
      'BAD_REQUEST',
    ]);
    const { error } = await v2.rolledBack('heal', heal);
    expect(error).toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      detail: expect.stringContaining('content_copy_container'),
    });
    expect(await registry.serverId()).toBe(server);
    const operation = await v2.complete('heal', {
      additionalParams: { ...heal.additionalParams, content_copy_container: 'copies' },
    });
    expect(await registry.serverId()).not.toBe(server);
    expect(await digestsIn(registry)).toEqual(before);
    expect((await logsOf(operation))['copyImagesOut']).toContain('in container copies of Swift');
    expect(Object.values(system.simulator.cloud.state.objectStore ?? {})).toEqual([{ copies: {} }]);
  },
  LIMIT,
);

it(
  'whose server is dead is healed through version 2 only when the request agrees to lose the images, through version 1 as in the guide',
  async () => {
    const server = await registry.serverId();
    system.simulator.nodes.hypervisor.power(server, 'stop');
    const v2 = new Registry(registry.instance.replace('/v1/', '/v2/'), registry.port);
    const { error } = await v2.rolledBack('heal', { additionalParams: { all: true } });
    expect(error).toMatchObject({ code: 'CONTENT_LOSS', detail: expect.stringContaining('Nothing was touched') });
    expect(await registry.serverId()).toBe(server);
    const root = `vnf-${registry.instance.split('/').at(-1)}`;
    const stacks = () =>
      Object.values(system.simulator.cloud.state.stacks).flatMap(({ id, name }) => (name === root ? [id] : []));
    const before = stacks();
    const operation = await registry.complete('heal', {});
    expect(await registry.serverId()).not.toBe(server);
    expect(stacks().filter((id) => !before.includes(id))).toHaveLength(1);
    expect((await logsOf(operation))['nameLostImages']).toContain('Which images are lost cannot be read');
    expect(await registry.readFrom(client, '/v2/_catalog')).toEqual({ repositories: [] });
  },
  LIMIT,
);

it(
  'with a volume keeps its images when its VNFC and when all of it is healed; the address stays with the VNFC',
  async () => {
    const image = 'localhost:5001/tools/kept:1';
    const [user] = USERS;
    const pushed =
      await client.root(`printf '%s' '${user?.password}' | docker login -u ${user?.name} --password-stdin localhost:5001 &&
docker pull busybox:1 && docker tag busybox:1 ${image} && docker push ${image}`);
    expect(pushed).toMatchObject({ code: 0 });
    const before = await digestsIn(client);
    expect(Object.keys(before)).toEqual(['tools/kept:1']);
    const volumes = () => Object.keys(system.simulator.cloud.state.volumes);
    const [volume] = volumes();
    const { vnfcInfo, virtualStorageResourceInfo } = await client.info();
    expect(virtualStorageResourceInfo).toMatchObject([{ storageResource: { resourceId: volume } }]);
    const address = await client.address();
    const loss = { vnfcInstanceId: [vnfcInfo[0].id], additionalParams: { all: true } };
    expect(await client.refusal('heal', loss)).toEqual([422, expect.stringContaining('volume, too'), 'CONTENT_LOSS']);
    const operation = await client.complete('heal', { vnfcInstanceId: [vnfcInfo[0].id] });
    expect((await logsOf(operation))['releaseVolume']).toBe('The volume is unmounted.\n');
    expect(await client.address()).toBe(address);
    expect(await digestsIn(client)).toEqual(before);
    await client.complete('heal', { additionalParams: { all: true } });
    expect(await digestsIn(client)).toEqual(before);
    expect(volumes()).toEqual([volume]);
  },
  LIMIT,
);

it(
  'has another certificate of the same CA when it is healed: a client that logged in before still can push',
  async () => {
    const at = `${await client.address()}:5001`;
    const push = `docker tag busybox:1 ${at}/busybox:1 && docker push ${at}/busybox:1`;
    expect(await secureAnswer('alice:wrong')).toBe('401'); // it writes ca.crt
    const first = await registry.root(`mkdir -p /etc/docker/certs.d/${at}; cp /root/ca.crt /etc/docker/certs.d/${at}/
docker pull -q busybox:1; echo '${USERS[0]?.password}' | docker login -u alice --password-stdin ${at} && ${push}`);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const certificate = async () =>
      (await client.root('cat /var/lib/vnflow/private-registry/access/registry.crt')).stdout;
    const before = [await caOfClient(), await certificate()];
    const changed = { ...request().additionalParams[PARAMETERS], users: [{ name: 'alice', password: 'other' }] };
    const [status, detail] = await client.refusal('heal', { additionalParams: { [PARAMETERS]: changed } });
    expect([status, detail]).toEqual([400, expect.stringContaining('users: is set when the VNF is instantiated')]);
    await client.complete('heal', { additionalParams: { all: true } }); // again: its stack has the volume from outside
    expect(Object.keys(await digestsIn(client))).toEqual(['busybox:1', 'tools/kept:1']);
    const after = [await caOfClient(), await certificate()];
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    const address = await client.address();
    if (address !== at.split(':')[0]) {
      await registry.root(`cp -r /etc/docker/certs.d/${at} /etc/docker/certs.d/${address}:5001
sed -i 's/${at}/${address}:5001/' /root/.docker/config.json`);
    }
    expect(await registry.root(push.replaceAll(at, `${address}:5001`))).toMatchObject({ code: 0, stderr: '' });
  },
  LIMIT,
);

it('keeps its passwords and keys to itself', async () => {
  const files = await client.root(`cd /var/lib/vnflow/private-registry/access; stat -c '%a %n' *; cat htpasswd`);
  expect(files.stdout.split('\n').toSorted().join('\n')).toMatch(
    /^\n600 htpasswd\n600 registry.crt\n600 registry.key\nalice:\$2[aby]\$10\$\S{53}$/,
  );
  const seen = system.simulator.ledger
    .entries()
    .filter(({ what }) => what.includes('secret1') && !what.includes('--user'));
  expect(seen.map(({ what }) => what)).toEqual([]);
  expect(JSON.stringify((await system.http.get(client.instance)).data)).not.toContain('secret1');
  const { data } = await system.http.get('/vnflcm/v2/vnf_lcm_op_occs');
  expect(JSON.stringify(data)).not.toContain('secret1');
  const histories = await readHistories(system.temporal.address);
  expect(histories).toContain('startRegistry');
  for (const secret of ['secret1', '$2b$10$', 'PRIVATE KEY']) expect(histories).not.toContain(secret);
});

it(
  'is terminated: nothing is left',
  async () => {
    await registry.complete('terminate', { terminationType: 'FORCEFUL' });
    await client.complete('terminate', { terminationType: 'FORCEFUL' });
    expect(system.simulator.fingerprint()).toEqual(empty);
  },
  LIMIT,
);
