import fc from 'fast-check';
import { expect, it } from 'vitest';
import { consoleFingerprints, isStillBooting } from './console-log.ts';
import { nodeName } from './node-name.ts';
import { secretValues, withoutSecrets } from './redaction.ts';
import { parseSlot, slotName } from './slot.ts';
import { nodesOfOtherMachines, readyNodes } from './vnf-kinds/kubernetes-cluster/kubernetes-nodes.ts';
import { phaseEnvironment } from './vnf-kinds/kubernetes-cluster/phase-environment.ts';

it('names nodes as the guide does: role and host part of the address', () => {
  expect(nodeName('master', '10.10.0.231', '10.10.0.0/24')).toBe('master231');
  expect(nodeName('worker', '10.10.0.9', '10.10.0.0/24')).toBe('worker9');
});

it('gives every address of a subnet of any size a name of its own', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 30 }),
      fc.uniqueArray(fc.nat(2 ** 32 - 1), { minLength: 2, maxLength: 20 }),
      (prefix, numbers) => {
        const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
        const network = (0x0a0a0000 & mask) >>> 0;
        const text = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
        const addresses = [...new Set(numbers.map((value) => text(((network | (value & ~mask)) >>> 0) >>> 0)))];
        const names = addresses.map((address) => nodeName('worker', address, `${text(network)}/${prefix}`));
        expect(new Set(names).size).toBe(addresses.length);
        for (const name of names) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
      },
    ),
  );
});

it('refuses an address outside its subnet', () => {
  expect(() => nodeName('worker', '10.10.1.9', '10.10.0.0/24')).toThrow(RangeError);
});

it('reads a slot as it was written', () => {
  expect(parseSlot(slotName('workerNode', 12))).toEqual({ vduId: 'workerNode', index: 12 });
});

it('finds the host keys that cloud-init printed on the console, of the last boot only', () => {
  const block = (key: string) =>
    `ci-info: x\n-----BEGIN SSH HOST KEY FINGERPRINTS-----\n256 SHA256:${key} root@host (ED25519)\n-----END SSH HOST KEY FINGERPRINTS-----\n`;
  const [first, second] = ['a'.repeat(43), 'B'.repeat(43)];
  expect(consoleFingerprints(`${block(first)}reboot\n${block(second)}login:`)).toEqual([`SHA256:${second}`]);
  expect(consoleFingerprints('no keys here')).toEqual([]);
});

it('waits for the keys of a console that speaks until cloud-init has said its last line', () => {
  const booting =
    "[ 2.11] cloud-init[520]: Cloud-init v. 23.4.4 running 'init'\nUbuntu 22.04.4 LTS ttyS0\n\nhost login: \n";
  expect(isStillBooting(booting)).toBe(true);
  const finished =
    'cloud-init[1042]: Cloud-init v. 23.4.4 finished at Sat, 21 Nov 2026 10:00:00 +0000. Up 45.10 seconds';
  expect(isStillBooting(`${booting}${finished}`)).toBe(false);
  expect(isStillBooting(''), 'no console').toBe(false);
});

it('finds the nodes that are Ready', () => {
  const node = (name: string, status: string) => ({
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status }] },
  });
  expect(readyNodes(JSON.stringify({ items: [node('master231', 'True'), node('worker9', 'False')] }))).toEqual(
    new Set(['master231']),
  );
});

it('finds the Node object of a machine that was replaced, if the cloud shows the id of a server to its guest', () => {
  const object = (name: string, systemUUID: string) => ({ metadata: { name }, status: { nodeInfo: { systemUUID } } });
  const row = (nodeName: string, serverId: string) => ({ nodeName, serverId });
  const told = (...items: object[]) =>
    nodesOfOtherMachines(
      JSON.stringify({ items }),
      [row('worker1', 'b'), row('worker2', 'c'), row('worker3', 'd')],
      row('master1', 'a'),
    );
  expect(told(object('master1', 'A'), object('worker1', 'B'), object('worker2', 'old'))).toEqual(['worker2']);
  expect(told(object('master1', 'x'), object('worker1', 'y'), object('worker2', 'z')), 'other ids').toEqual([]);
  expect(told(object('master1', 'a'), { metadata: { name: 'worker1' } }), 'none known').toEqual([]);
});

it('reads the answer for one node as a list of one', () => {
  const one = {
    kind: 'Node',
    metadata: { name: 'worker9' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  expect(readyNodes(JSON.stringify(one))).toEqual(new Set(['worker9']));
});

it('leaves passwords, tokens and keys out of what is shown, wherever they stand, and nothing else', () => {
  const request = {
    vimConnectionInfo: {
      vim1: {
        accessInfo: { username: 'nfv_user', password: 'devstack' },
        interfaceInfo: { oidc_token_url: 'http://x' },
      },
    },
    additionalParams: {
      k8s_cluster_installation_param: {
        master_node: { username: 'ubuntu', password: 'ubuntu', pod_cidr: '10.0.0.0/8' },
      },
    },
    list: [
      {
        bearer_token: 'tokentoken',
        clientPassword: 'cpcp',
        authentication: { paramsBasic: { userName: 'u', password: 'pppp' } },
      },
    ],
  };
  expect(withoutSecrets(request)).toEqual({
    vimConnectionInfo: {
      vim1: { accessInfo: { username: 'nfv_user' }, interfaceInfo: { oidc_token_url: 'http://x' } },
    },
    additionalParams: {
      k8s_cluster_installation_param: { master_node: { username: 'ubuntu', pod_cidr: '10.0.0.0/8' } },
    },
    list: [{ authentication: { paramsBasic: { userName: 'u' } } }],
  });
  expect(secretValues(request).sort()).toEqual(['cpcp', 'devstack', 'pppp', 'tokentoken', 'ubuntu']);
});

it('hides the credentials in a URL, in every form in which a program may print them', () => {
  const proxy = { http_proxy: 'http://user1:p%40ss@proxy:3128', https_proxy: 'http://tok-en@proxy:3128' };
  expect(withoutSecrets(proxy)).toEqual({ http_proxy: 'http://***@proxy:3128', https_proxy: 'http://***@proxy:3128' });
  expect(secretValues(proxy)).toEqual(['p%40ss', 'p@ss', 'dXNlcjE6cEBzcw==', 'tok-en', 'dG9rLWVu']);
  expect(secretValues('http://user@proxy and http://user:@proxy')).toEqual(['user', 'dXNlcg==']);
  expect(secretValues('http://u:100%@proxy')).toContain('100%');
});

it('gives a phase what docs/install-script.md promises, and credentials only where they are needed', () => {
  const login = { vdu_id: 'v', ssh_cp_name: 's', nic_cp_name: 'n', username: 'ubuntu', password: 'x' };
  const facts = {
    phase: 'join-worker',
    node: { name: 'worker9', address: '10.10.0.9', loginUser: 'ubuntu' },
    parameters: {
      script_path: 'Scripts/x.sh',
      master_node: {
        ...login,
        pod_cidr: '10.200.0.0/16',
        cluster_cidr: '10.96.0.0/12',
        cluster_cp_name: 'masterNode_CP1',
      },
      worker_node: login,
      proxy: { http_proxy: 'http://proxy:3128' },
    },
    cluster: {
      endpoint: '10.10.0.231:6443',
      certSans: ['10.10.0.231', '172.24.4.3'],
      controlPlanes: [{ name: 'master231', address: '10.10.0.231' }],
      nodes: [
        { name: 'master231', address: '10.10.0.231' },
        { name: 'worker9', address: '10.10.0.9' },
      ],
    },
  };
  expect(phaseEnvironment(facts)).toEqual({
    NODE_NAME: 'worker9',
    NODE_IP: '10.10.0.9',
    LOGIN_USER: 'ubuntu',
    POD_CIDR: '10.200.0.0/16',
    SERVICE_CIDR: '10.96.0.0/12',
    CLUSTER_ENDPOINT: '10.10.0.231:6443',
    CERT_SANS: '10.10.0.231,172.24.4.3',
    CONTROL_PLANES: 'master231=10.10.0.231',
    HTTP_PROXY: 'http://proxy:3128',
    NO_PROXY: 'localhost,127.0.0.1,::1,.svc,.cluster.local,10.10.0.9,10.10.0.231,10.200.0.0/16,10.96.0.0/12',
  });
  expect(phaseEnvironment({ ...facts, phase: 'prepare' })).toMatchObject({
    OTHER_NODES: '10.10.0.231 master231',
  });
  const credentials = { token: 't', caCertHash: 'sha256:0', certificateKey: 'k' };
  expect(phaseEnvironment({ ...facts, credentials })).toMatchObject({
    JOIN_TOKEN: 't',
    CA_CERT_HASH: 'sha256:0',
    CERTIFICATE_KEY: 'k',
  });
  const encrypted = { ...facts, credentials: { ...credentials, encryptionConfig: 'eA==' } };
  expect(phaseEnvironment(encrypted)).not.toHaveProperty('ENCRYPTION_CONFIG');
  expect(phaseEnvironment({ ...encrypted, phase: 'join-control-plane' })).toMatchObject({ ENCRYPTION_CONFIG: 'eA==' });
  const balanced = {
    ...facts,
    node: { name: 'master5', address: '10.10.0.5', loginUser: 'ubuntu' },
    cluster: {
      endpoint: '10.10.0.100:16443',
      certSans: [],
      virtualIp: '10.10.0.100',
      controlPlanes: [
        { name: 'master231', address: '10.10.0.231' },
        { name: 'master5', address: '10.10.0.5' },
      ],
    },
    vrrpPassword: 'abcdefgh',
  };
  expect(phaseEnvironment(balanced)).toMatchObject({
    CONTROL_PLANES: 'master231=10.10.0.231,master5=10.10.0.5',
    VIRTUAL_IP: '10.10.0.100',
    VRRP_ROUTER_ID: '101',
    VRRP_PRIORITY: '99',
    VRRP_PASSWORD: 'abcdefgh',
  });
});
