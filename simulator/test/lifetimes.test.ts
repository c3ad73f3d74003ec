import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { completePhase, runAsAdmin } from './testing/sample-cluster.ts';

const VIP = '10.10.0.100';
const FIRST = { name: 'master11', address: '10.10.0.11' };
const SECOND = { name: 'master12', address: '10.10.0.12' };
const SHARED = {
  CLUSTER_ENDPOINT: `${VIP}:16443`,
  CONTROL_PLANES: [FIRST, SECOND].map(({ name, address }) => `${name}=${address}`).join(','),
  VIRTUAL_IP: VIP,
  VRRP_PASSWORD: 'abcd1234',
  VRRP_PRIORITY: '100',
};
const HOUR = 3600;

let cloud: TestCloud;
let lent: Record<string, string>;
beforeAll(async () => {
  cloud = await startTestCloud(1000);
  for (const node of [FIRST, SECOND]) {
    cloud.machine(`vm-${node.name}`, node.address);
    for (const phase of ['prepare', 'load-balancer']) await completePhase(cloud, node, { ...SHARED, phase });
  }
  lent = await completePhase(cloud, FIRST, { ...SHARED, phase: 'init' });
}, 60_000);
afterAll(() => cloud.stop());

const onFirst = (command: string) => runAsAdmin(cloud, FIRST.address, command);

function join(token: string, certificateKey?: string) {
  const more = certificateKey === undefined ? '' : ` --control-plane --certificate-key ${certificateKey}`;
  const hash = lent['CA_CERT_HASH'];
  const command = `kubeadm join ${VIP}:16443 --token ${token} --discovery-token-ca-cert-hash ${hash}${more}`;
  return cloud.ssh(SECOND.address, `sudo ${command}`);
}

/** Reads `kubeadm token list`: token → remaining hours and end. */
async function tokens(): Promise<Record<string, { left: string; end: number }>> {
  const { stdout } = await onFirst('kubeadm token list');
  const rows = stdout.split('\n').slice(1).filter(Boolean);
  return Object.fromEntries(
    rows.map((row) => {
      const [token = '', left = '', end = ''] = row.split(/\s+/);
      return [token, { left, end: Date.parse(end) }];
    }),
  );
}

it('a bootstrap token lives for its --ttl, by default a day, and no node joins with it after that', async () => {
  const short = (await onFirst('kubeadm token create --ttl 1h')).stdout.trim();
  const long = (await onFirst('kubeadm token create')).stdout.trim();
  const { [short]: hour, [long]: day } = await tokens();
  expect({ hour: hour?.left, day: day?.left }).toEqual({ hour: expect.stringMatching(/^5\dm$/), day: '23h' });
  const apart = ((day?.end ?? 0) - (hour?.end ?? 0)) / 1000;
  expect(Math.abs(apart - 23 * HOUR)).toBeLessThan(HOUR / 2);

  await cloud.restart(HOUR);
  const left = Object.keys(await tokens());
  expect({ short: left.includes(short), long: left.includes(long) }).toEqual({ short: false, long: true });
  const late = await join(short);
  expect(late.code).toBe(1);
  expect(late.stderr).toContain(
    `could not find a JWS signature in the cluster-info ConfigMap for token ID "${short.split('.')[0]}"`,
  );
});

it('the uploaded certificates are there for two hours: later, and with another key, no control-plane node joins', async () => {
  await cloud.restart(2 * HOUR);
  const token = (await onFirst('kubeadm token create')).stdout.trim();
  const secret = () => onFirst('kubectl -n kube-system get secret kubeadm-certs');
  expect((await secret()).stderr).toContain('"kubeadm-certs" not found');
  const late = await join(token, lent['CERTIFICATE_KEY']);
  expect(late.stderr).toContain(
    'Secret "kubeadm-certs" was not found in the "kube-system" Namespace. This Secret might have expired.',
  );
  const fresh = await completePhase(cloud, FIRST, { ...SHARED, phase: 'credentials' });
  expect(fresh['CERTIFICATE_KEY']).not.toBe(lent['CERTIFICATE_KEY']);
  expect((await secret()).code).toBe(0);
  const old = await join(token, lent['CERTIFICATE_KEY']);
  expect(old.stderr).toContain('error decoding secret data with provided key');
  expect(await join(token, fresh['CERTIFICATE_KEY'])).toMatchObject({ code: 0 });
}, 30_000);
