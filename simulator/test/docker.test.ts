import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCloud } from './testing/nodes.ts';

const cloud = await startTestCloud(5000);
afterAll(() => cloud.stop());

const REGISTRY = '10.10.0.5';
const CLIENT = '10.10.0.6';
/** Runs a script as root. */
const root = (address: string, script: string) => cloud.ssh(address, 'sudo bash -s', { stdin: script });
const INSTALL = 'apt-get update && apt-get install -y docker.io && systemctl enable docker';
const ALLOW = `echo '{"insecure-registries":["${REGISTRY}:5001"]}' > /etc/docker/daemon.json; systemctl restart docker`;
const RUN = 'docker run -d --restart always --name private_registry -p 5001:5000 -v /data:/var/lib/registry registry:2';
const get = async (path: string) => {
  const { stdout } = await root(CLIENT, `curl -s --noproxy '*' http://${REGISTRY}:5001${path}`);
  return stdout === '' ? undefined : JSON.parse(stdout);
};

beforeAll(async () => {
  cloud.machine('registry', REGISTRY);
  cloud.machine('client', CLIENT);
  await Promise.all([root(REGISTRY, INSTALL), root(CLIENT, INSTALL)]);
});

it('a registry serves on its published port what another machine pushed, by tag and by digest', async () => {
  expect(await get('/v2/')).toBeUndefined();
  expect(await root(REGISTRY, RUN)).toMatchObject({ code: 0, stderr: '' });
  expect(await get('/v2/')).toEqual({});
  const target = `${REGISTRY}:5001/tools/busybox:1`;
  const pushed = await root(CLIENT, `docker pull busybox:1; docker tag busybox:1 ${target}; docker push ${target}`);
  expect(pushed.stderr).toContain('http: server gave HTTP response to HTTPS client');
  const again = await root(CLIENT, `${ALLOW}; docker push ${target}`);
  const [, digest = ''] = /digest: (sha256:\w+) size/.exec(again.stdout) ?? [];
  expect([again.code, digest]).toEqual([0, expect.stringContaining('sha256:')]);
  expect(await get('/v2/_catalog')).toEqual({ repositories: ['tools/busybox'] });
  expect(await get('/v2/tools/busybox/tags/list')).toEqual({ name: 'tools/busybox', tags: ['1'] });
  const manifest = await get('/v2/tools/busybox/manifests/1');
  expect(await get(`/v2/tools/busybox/manifests/${digest}`)).toEqual(manifest);
  expect((await get('/v2/tools/busybox/manifests/2')).errors[0].code).toBe('MANIFEST_UNKNOWN');
  const id = 'docker image inspect --format {{.Id}}';
  const pulled = await root(
    CLIENT,
    `${id} busybox:1; docker rmi ${target} busybox:1; docker pull -q ${target}; ${id} ${target}`,
  );
  const [before, ...rest] = pulled.stdout.trim().split('\n');
  expect([pulled.stderr, rest.at(-1)]).toEqual(['', before]);
});

it('a registry with a restart policy answers again after a reboot, with its images; another one does not', async () => {
  await root(REGISTRY, 'docker run -d --name other -p 5002:5000 registry:2');
  const bootId = async () => (await root(REGISTRY, 'cat /proc/sys/kernel/random/boot_id')).stdout;
  const before = await bootId();
  cloud.nodes.hypervisor.power('server-registry', 'reboot');
  expect(await bootId()).not.toBe(before);
  await expect.poll(() => get('/v2/_catalog'), { timeout: 20_000 }).toEqual({ repositories: ['tools/busybox'] });
  expect((await root(CLIENT, `curl -sS http://${REGISTRY}:5002/v2/`)).stderr).toContain('Connection refused');
});

it('an image goes through an archive: saved, loaded, and no other file is taken for one', async () => {
  const saved = await root(
    CLIENT,
    'docker pull -q registry:2 && docker save -o /root/image.tar registry:2 && docker rmi registry:2',
  );
  expect(saved.code).toBe(0);
  const loaded = await root(
    CLIENT,
    'docker load -i /root/image.tar; docker image inspect --format {{.Architecture}} registry:2',
  );
  expect(loaded).toMatchObject({ code: 0, stdout: 'Loaded image: registry:2\namd64\n' });
  expect((await root(CLIENT, 'echo no > /root/no.tar; docker load -i /root/no.tar')).code).toBe(1);
});

it('refuses a port that another container or a service of the machine has', async () => {
  expect((await root(REGISTRY, 'docker run -d -p 5001:5000 registry:2')).stderr).toContain('port is already allocated');
  expect((await root(REGISTRY, 'docker run -d -p 22:5000 registry:2')).stderr).toContain('address already in use');
});
