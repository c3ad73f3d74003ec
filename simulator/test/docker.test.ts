import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../world/cluster/pki.ts';
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

it('a registry with TLS and a login serves a client only that trusts its authority and logs in', async () => {
  const authority = await createAuthority('ca');
  const { certificate, privateKey } = issueCertificate(authority, {
    commonName: 'registry',
    addresses: [REGISTRY],
    days: 1,
  });
  const settings =
    `-v /access:/access:ro -e REGISTRY_HTTP_TLS_CERTIFICATE=/access/tls.crt -e REGISTRY_HTTP_TLS_KEY=/access/tls.key
-e REGISTRY_AUTH=htpasswd -e REGISTRY_AUTH_HTPASSWD_REALM=r -e REGISTRY_AUTH_HTPASSWD_PATH=/access/htpasswd`.replaceAll(
      '\n',
      ' ',
    );
  const run = `docker run -d -p 5443:5000 ${settings} registry:2`;
  await root(
    REGISTRY,
    `mkdir /access; cd /access; echo '${certificate}' > tls.crt; echo '${privateKey}' > tls.key
echo 'alice:${hashSync('secret1', 4)}' > htpasswd; echo 'bob:{SHA}plain' >> htpasswd; ${run}`,
  );
  const at = `${REGISTRY}:5443`;
  const ask = async (words: string) => {
    const { stdout, stderr } = await root(CLIENT, `curl -sS ${words} -w '%{http_code}' https://${at}/v2/`);
    return stdout.slice(-3) + stderr.replace(/\(.*/s, '') + (/no alternative|issuer/.exec(stderr)?.[0] ?? '');
  };
  expect(await ask('')).toBe('000curl: issuer');
  await root(CLIENT, `mkdir -p /etc/docker/certs.d/${at}; echo '${authority.certificate}' > /root/ca.crt`);
  expect(await ask('--cacert /root/ca.crt')).toBe('401');
  expect(await ask('--cacert /root/ca.crt -u alice:wrong')).toBe('401');
  expect(await ask('--cacert /root/ca.crt -u bob:plain')).toBe('401');
  expect(await ask('--cacert /root/ca.crt --config - <<< \'user = "alice:secret1"\'')).toBe('200');
  const local = await root(
    REGISTRY,
    `echo '${authority.certificate}' > /root/ca.crt; curl -sS --cacert /root/ca.crt https://127.0.0.1:5443/v2/`,
  );
  expect(local.stderr).toContain('no alternative certificate subject name');
  expect((await root(CLIENT, `curl -s http://${at}/v2/`)).stdout).toContain('HTTP request to an HTTPS server');

  const login = (password: string) => root(CLIENT, `docker login -u alice --password-stdin ${at} <<< ${password}`);
  expect((await login('secret1')).stderr).toContain('x509: certificate signed by unknown authority');
  await root(CLIENT, `cp /root/ca.crt /etc/docker/certs.d/${at}/ca.crt`);
  expect((await login('wrong')).stderr).toContain('failed with status: 401 Unauthorized');
  const push = () =>
    root(CLIENT, `docker pull -q busybox:1; docker tag busybox:1 ${at}/busybox:1; docker push ${at}/busybox:1`);
  expect((await push()).stderr).toContain('no basic auth credentials');
  expect((await login('secret1')).stdout).toContain('Login Succeeded');
  expect(await push()).toMatchObject({ code: 0, stderr: '' });
  const pull = () => root(CLIENT, `docker rmi ${at}/busybox:1; docker pull -q ${at}/busybox:1`);
  expect(await pull()).toMatchObject({ code: 0 });
  await root(CLIENT, `docker logout ${at}`);
  expect((await pull()).stderr).toContain('no basic auth credentials');
});

it('a registry whose key does not belong to its certificate answers nothing', async () => {
  await root(REGISTRY, 'openssl rand -hex 8 > /access/tls.key');
  const { stderr } = await root(CLIENT, `curl -sSk https://${REGISTRY}:5443/v2/`);
  expect(stderr).toContain('Empty reply from server');
});
