import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkClusterParameters } from './check-parameters.ts';

const SCRIPT = 'Scripts/install_k8s_cluster.sh';
const contents = {
  vnfInstanceId: 'i-1',
  vdus: ['masterNode', 'workerNode'],
  aspects: { master_instance: ['masterNode'], worker_instance: ['workerNode'], both: ['masterNode', 'workerNode'] },
  now: new Date(),
  resources: (vduId: string) =>
    new Map([[vduId === 'masterNode' ? 'masterNode_CP1' : 'workerNode_CP2', 'OS::Neutron::Port']]),
  files: new Map([[SCRIPT, readFileSync(new URL(`../../../samples/kubernetes-cluster/${SCRIPT}`, import.meta.url))]]),
};
const node = { username: 'ubuntu', password: 'ubuntu' };
const MASTER = {
  ...node,
  ssh_cp_name: 'masterNode_CP1',
  nic_cp_name: 'masterNode_CP1',
  cluster_cp_name: 'masterNode_CP1',
};
const WORKER = { ...node, aspect_id: 'worker_instance', ssh_cp_name: 'workerNode_CP2', nic_cp_name: 'workerNode_CP2' };
const given = (master: object, more: object = {}, files: ReadonlyMap<string, Buffer> = contents.files) =>
  checkClusterParameters(
    {
      script_path: SCRIPT,
      master_node: { aspect_id: 'master_instance', ...MASTER, ...master },
      worker_node: WORKER,
      ...more,
    },
    { ...contents, files, largeFiles: new Set() },
  );

it('takes the VDU from the aspect, with the defaults of version 1', () => {
  const { vim_name, master_node, worker_node } = given({});
  expect([master_node.vdu_id, worker_node.vdu_id]).toEqual(['masterNode', 'workerNode']);
  expect([vim_name, master_node.pod_cidr]).toEqual(['kubernetes_vim_i-1', '192.168.0.0/16']);
  expect(given({}, { vim_name: 'mine' }).vim_name).toBe('mine');
});

it('clears host bits, as the guides have them', () => {
  const cidrs = { pod_cidr: '192.168.3.0/16', cluster_cidr: '10.199.187.77/24' };
  expect(given(cidrs).master_node).toMatchObject({ pod_cidr: '192.168.0.0/16', cluster_cidr: '10.199.187.0/24' });
  expect(() => given({ pod_cidr: '192.168.3.0' })).toThrow('pod_cidr');
});

it.each([
  ['pod_cidr', '223.255.255.255/24'],
  ['pod_cidr', '10.0.0.0/8'],
  ['cluster_cidr', '10.96.0.0/12'],
  ['cluster_cidr', '10.96.0.0/28'],
])('takes %s=%s', (member, cidr) => {
  expect(() => given({ [member]: cidr })).not.toThrow();
});

it.each([
  ['pod_cidr', '0.0.0.0/0', 'larger than a /8'],
  ['pod_cidr', '10.200.0.0/25', 'smaller than a /24'],
  ['pod_cidr', '10.200.0.0/31', 'smaller than a /24'],
  ['pod_cidr', '10.200.0.1/32', 'smaller than a /24'],
  ['pod_cidr', '127.0.0.0/8', '127.0.0.0/8'],
  ['pod_cidr', '169.254.0.0/16', '169.254.0.0/16'],
  ['pod_cidr', 'fd00::/8', 'IPv4 network'],
  ['cluster_cidr', '0.0.0.0/0', 'larger than a /12'],
  ['cluster_cidr', '10.0.0.0/11', 'larger than a /12'],
  ['cluster_cidr', '10.96.0.0/29', 'smaller than a /28'],
  ['cluster_cidr', '10.96.0.1/32', 'smaller than a /28'],
  ['cluster_cidr', '127.8.0.0/16', '127.0.0.0/8'],
  ['cluster_cidr', '169.254.7.0/24', '169.254.0.0/16'],
  ['cluster_cidr', '239.0.0.0/16', 'multicast'],
])('refuses %s=%s, which kubeadm would refuse on the first node', (member, cidr, words) => {
  expect(() => given({ [member]: cidr })).toThrow(
    new RegExp(`master_node\\.${member}: .*${words.replaceAll('.', '\\.')}`),
  );
});

it('refuses an aspect that is unknown or of several VDUs, and vip_CP where there is none', () => {
  for (const aspect_id of ['masters', 'both', 7]) {
    expect(() => given({ aspect_id })).toThrow(/master_node\.aspect_id: .*master_instance, worker_instance/);
  }
  expect(() => given({ cluster_cp_name: 'vip_CP' })).toThrow(
    /cluster_cp_name: vip_CP is not in the VNF package; it has masterNode_CP1/,
  );
});

it('refuses a proxy where the install script reads none, whatever its contract is', () => {
  const script = contents.files.get(SCRIPT)?.toString() ?? '';
  const deaf = new Map([[SCRIPT, Buffer.from(script.replaceAll(/https?_proxy/gi, 'other'))]]);
  const proxy = { http_proxy: 'http://proxy:3128' };
  expect(given({}, { proxy }).proxy).toEqual(proxy);
  expect(() => given({}, { proxy }, deaf)).toThrow(/param\.proxy: the install script \S+ reads no http_proxy/);
  expect(given({}, { proxy: { http_proxy: '' } }, deaf).proxy).toEqual({ http_proxy: '' });
});
