import { afterEach, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { MASTERS, makeControlPlane, runAsAdmin } from './testing/sample-cluster.ts';

const KEYS = '/etc/kubernetes/pki/encryption.yaml';
const MANIFEST = '/etc/kubernetes/manifests/kube-apiserver.yaml';

let cloud: TestCloud;
afterEach(() => cloud.stop());

const file = (address: string, path: string) => cloud.nodes.node(address)?.file(path) ?? '';
const change = (address: string, command: string) => cloud.ssh(address, `sudo sh -c '${command}'`);

it.each([
  ['1.26.8', 'aescbc'],
  ['1.36.4', 'secretbox'],
])(
  'Kubernetes %s: every control-plane node has the key of the Secrets (%s) and the audit policy; one without them does not serve',
  async (KUBERNETES_VERSION, ENCRYPT_SECRETS) => {
    cloud = await startTestCloud(1000);
    await makeControlPlane(cloud, { KUBERNETES_VERSION, ENCRYPT_SECRETS, AUDIT_POLICY: 'metadata' });
    const [first, second] = MASTERS.map(({ address }) => address);
    if (first === undefined || second === undefined) throw new Error('no masters');
    expect(file(first, KEYS)).toContain(`- ${ENCRYPT_SECRETS}:`);
    for (const { address } of MASTERS) {
      expect(file(address, KEYS)).toBe(file(first, KEYS));
      expect((await cloud.ssh(address, `sudo stat -c %a ${KEYS}`)).stdout).toBe('600\n');
      expect(file(address, MANIFEST)).toContain(`--encryption-provider-config=${KEYS}`);
      expect(file(address, MANIFEST)).toMatch(/--audit-log-maxsize=100$/m);
    }
    const ready = (address: string) =>
      runAsAdmin(cloud, address, `kubectl --server https://${address}:6443 get --raw /readyz`);
    const secrets = (address: string) =>
      runAsAdmin(cloud, address, `kubectl --server https://${address}:6443 -n kube-system get secrets`);
    expect(await ready(second)).toMatchObject({ code: 0 });
    expect(await secrets(second)).toMatchObject({ code: 0 });

    // another key, as a node has that makes its own
    await change(
      second,
      `cp ${KEYS} /root/keys; sed -i "s/secret: .*/secret: $(openssl rand -base64 32 | tr / _ | tr _ A)/" ${KEYS}`,
    );
    expect((await ready(second)).stderr).toContain('informer-sync failed');
    expect((await secrets(second)).stderr).toContain('no matching prefix found');
    await change(second, `rm ${KEYS}`);
    expect((await ready(second)).stderr).toContain('was refused');
    await change(second, `cp /root/keys ${KEYS}; rm /etc/kubernetes/audit-policy.yaml`);
    expect((await ready(second)).stderr).toContain('was refused');
    expect(await ready(first)).toMatchObject({ code: 0 });
  },
  60_000,
);
