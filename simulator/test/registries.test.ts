import { hashSync } from 'bcryptjs';
import { afterAll, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../world/cluster/pki.ts';
import { startTestCloud } from './testing/nodes.ts';

const cloud = await startTestCloud(5000);
afterAll(() => cloud.stop());

/** Runs a script as root on a machine with containerd and crictl. */
const root = (address: string, script: string) => cloud.ssh(address, 'sudo bash -s', { stdin: script });
const RELEASES = 'https://github.com';
const CONTAINERD = `curl -fsSL ${RELEASES}/containerd/containerd/releases/download/v1.7.11/containerd-1.7.11-linux-amd64.tar.gz | tar -C /usr/local -xzf -
curl -fsSL ${RELEASES}/kubernetes-sigs/cri-tools/releases/download/v1.26.0/crictl-v1.26.0-linux-amd64.tar.gz | tar -C /usr/local/bin -xzf -
curl -fsSL https://raw.githubusercontent.com/containerd/containerd/main/containerd.service > /etc/systemd/system/containerd.service
mkdir -p /etc/containerd; containerd config default > /etc/containerd/config.toml; systemctl enable --now containerd
`;

it('only a machine with a setting for a private registry without TLS can read it', async () => {
  cloud.machine('registry', '10.10.0.5');
  cloud.machine('node', '10.10.0.11');
  await root('10.10.0.11', CONTAINERD);
  const pull = () => root('10.10.0.11', 'crictl pull 10.10.0.5:5000/k8s/pause:3.9');
  expect((await pull()).stderr).toContain('connect: connection refused');
  await root(
    '10.10.0.5',
    'apt-get update; apt-get install -y docker.io; docker run -d --name registry -p 5000:5000 registry:2.8.3',
  );
  expect((await pull()).stderr).toContain('http: server gave HTTP response to HTTPS client');
  await root(
    '10.10.0.11',
    `sed -i 's#config_path = ""#config_path = "/etc/containerd/certs.d"#' /etc/containerd/config.toml; systemctl restart containerd
mkdir -p /etc/containerd/certs.d/10.10.0.5:5000; printf '[host."http://10.10.0.5:5000"]\\n' > /etc/containerd/certs.d/10.10.0.5:5000/hosts.toml`,
  );
  expect((await pull()).stderr).toContain('10.10.0.5:5000/k8s/pause:3.9: not found');
  await root(
    '10.10.0.5',
    'docker pull registry.k8s.io/pause:3.9; docker tag registry.k8s.io/pause:3.9 localhost:5000/k8s/pause:3.9; docker push localhost:5000/k8s/pause:3.9',
  );
  expect(await pull()).toMatchObject({ code: 0, stderr: '' });
});

it('an image that does not exist is refused for good', async () => {
  cloud.machine('other', '10.10.0.12');
  await root('10.10.0.12', CONTAINERD);
  const { code, stderr } = await root('10.10.0.12', 'crictl pull registry.k8s.io/kube-apiserver:v1.26.99');
  expect(code).toBe(1);
  expect(stderr).toContain('manifest unknown');
});

it('a runtime whose CRI plugin is switched off does not answer', async () => {
  cloud.machine('off', '10.10.0.13');
  await root('10.10.0.13', CONTAINERD);
  expect((await root('10.10.0.13', 'crictl info')).code).toBe(0);
  await root(
    '10.10.0.13',
    `echo 'disabled_plugins = ["cri"]' > /etc/containerd/config.toml; systemctl restart containerd`,
  );
  expect((await root('10.10.0.13', 'crictl info')).stderr).toContain('unknown service runtime.v1.RuntimeService');
});

it('containerd reads hosts.toml at each pull: scheme, authority, capabilities; crictl hands its login over', async () => {
  const [registry, node, at] = ['10.10.0.7', '10.10.0.14', 'registry.test:5443'];
  cloud.machine('secure', registry);
  cloud.machine('puller', node);
  const authority = await createAuthority('authority');
  const { certificate, privateKey } = issueCertificate(authority, {
    commonName: 'r',
    dnsNames: ['registry.test'],
    days: 1,
  });
  await root(
    registry,
    `apt-get update; apt-get install -y docker.io; mkdir /access; echo '${certificate}' > /access/c; echo '${privateKey}' > /access/k
echo 'alice:${hashSync('secret1', 4)}' > /access/htpasswd
docker run -d --name plain -p 5000:5000 -v /data:/var/lib/registry registry:2
docker pull busybox:1; docker tag busybox:1 localhost:5000/app:1; docker push localhost:5000/app:1
docker run -d --name secure -p 5443:5000 -v /data:/var/lib/registry -v /access:/access -e REGISTRY_AUTH=htpasswd \
-e REGISTRY_AUTH_HTPASSWD_REALM=r -e REGISTRY_AUTH_HTPASSWD_PATH=/access/htpasswd \
-e REGISTRY_HTTP_TLS_CERTIFICATE=/access/c -e REGISTRY_HTTP_TLS_KEY=/access/k registry:2`,
  );
  await root(
    node,
    `${CONTAINERD}\necho '${registry} registry.test' >> /etc/hosts; echo '${authority.certificate}' > /root/ca.crt`,
  );
  const pull = async (words = '') => (await root(node, `crictl pull ${words} ${at}/app:1`)).stderr;
  const hosts = (text: string) =>
    root(node, `mkdir -p /etc/containerd/certs.d/${at}; printf '${text}' > /etc/containerd/certs.d/${at}/hosts.toml`);
  const table = (more: string, scheme = 'https') =>
    hosts(`server = "${scheme}://${at}"\\n[host."${scheme}://${at}"]\\n  capabilities = ["pull", "resolve"]\\n${more}`);
  await table('ca = "/root/ca.crt"\\n');
  expect(await pull('--creds alice:secret1')).toContain('certificate signed by unknown authority'); // no config_path yet
  await root(node, `sed -i 's#config_path = ""#config_path = "/etc/containerd/certs.d"#' /etc/containerd/config.toml`);
  expect(await pull('--creds alice:secret1')).toContain('certificate signed by unknown authority'); // read at the start
  await root(node, 'systemctl restart containerd');
  expect(await pull()).toContain('401 Unauthorized');
  expect(await pull('--creds alice:wrong')).toContain('401 Unauthorized');
  expect(await pull('--creds alice:secret1')).toBe('');
  await table('ca = "/root/other.crt"\\n');
  expect(await pull('--creds alice:secret1')).toContain('certificate signed by unknown authority');
  await table('skip_verify = true\\n');
  expect(await pull('--creds alice:secret1')).toBe('');
  await table('', 'http');
  expect(await pull('--creds alice:secret1')).toContain('400 Bad Request');
  await hosts('server = registry\\n');
  expect(await pull()).toContain('failed to parse hosts file');
});
