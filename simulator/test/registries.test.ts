import { afterAll, expect, it } from 'vitest';
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
