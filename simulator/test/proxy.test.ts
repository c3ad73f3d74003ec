import { afterEach, beforeEach, expect, it } from 'vitest';
import { SITE_PROXY_URL } from '../world/internet/site-proxy.ts';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';
import { runPhase } from './testing/sample-cluster.ts';

const NODE = { name: 'worker21', address: '10.10.0.21' };
const WRONG = SITE_PROXY_URL.replace('password1', 'password2');
const NO_PROXY = 'localhost,127.0.0.1,.svc,.cluster.local,10.10.0.21,10.0.0.0/8,10.96.0.0/12';
const proxies = (url: string) => ({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY });

let cloud: TestCloud;

beforeEach(async () => {
  cloud = await startTestCloud(20_000);
  cloud.machine('vm-worker21', NODE.address);
  cloud.nodes.faults.add({ kind: 'no-way-out' });
});
afterEach(() => cloud.stop());

const root = (command: string, stdin = '') => cloud.ssh(NODE.address, `sudo sh -c '${command}'`, { stdin });
const prepare = (variables: Record<string, string>) => runPhase(cloud, NODE, { phase: 'prepare', ...variables });
/** What reached the proxy: the request, the program, and the status of the answer. */
const asked = () =>
  cloud
    .entries()
    .flatMap(({ kind, what, detail }) =>
      kind === 'proxy' ? [`${detail?.['program']} ${what} ${detail?.['status']}`] : [],
    );
const file = (path: string) => cloud.nodes.node(NODE.name)?.file(path);

it('prepares a node of a network that has no way out but the proxy', async () => {
  const { code, stderr } = await prepare(proxies(SITE_PROXY_URL));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const programs = new Set(asked().map((line) => line.split(' ')[0]));
  expect(programs).toEqual(new Set(['curl', 'apt', 'containerd']));
  expect(asked()).toContain('curl CONNECT github.com:443 200');
  expect(asked()).toContain('containerd CONNECT registry.k8s.io:443 200');
  expect(asked()).toContainEqual(
    expect.stringMatching(/^apt GET http:\/\/\S*archive\.ubuntu\.com\/ubuntu\/dists\/jammy\/InRelease 200$/),
  );
  expect(asked().filter((line) => !line.endsWith(' 200') || /10\.10\.|127\.0|localhost/.test(line))).toEqual([]);
});

it('keeps the password of the proxy where only root can read it, and off every command line', async () => {
  expect((await prepare(proxies(SITE_PROXY_URL))).code).toBe(0);
  expect(cloud.entries().filter((entry) => JSON.stringify(entry).includes('password1'))).toEqual([]);
  const holders = await root('grep -rl password1 /etc /var/lib /usr/local /run /home 2> /dev/null');
  expect(holders.stdout.trim().split('\n').sort()).toEqual([
    '/etc/apt/apt.conf.d/95vnflow-proxy',
    '/etc/vnflow/proxy.env',
  ]);
  expect((await root('stat -c %a /etc/apt/apt.conf.d/95vnflow-proxy /etc/vnflow/proxy.env')).stdout).toBe('600\n600\n');
  // systemd shows Environment= to every user
  expect((await cloud.ssh(NODE.address, 'systemctl show containerd')).stdout).not.toContain('password1');
  // apt of an operator uses the proxy, too, and not for what is excepted
  expect(file('/etc/apt/apt.conf.d/95vnflow-proxy')).toContain('Acquire::https::Proxy::localhost "DIRECT";');
  expect((await root('apt-get update')).stderr).toBe('');
});

it('without the proxy a node gets nothing, and the script says what it could not download', async () => {
  const { code, stderr } = await prepare({});
  expect(code).toBe(75);
  expect(stderr).toMatch(/curl: \(7\) Failed to connect to github\.com port 443 after \d+ ms: No route to host/);
  expect(stderr).toMatch(/not now: cannot download https:\/\/github\.com/);
  expect(asked()).toEqual([]);
});

it('a wrong login of the proxy ends the phase at once, with its reason', async () => {
  const { code, stderr } = await prepare(proxies(WRONG));
  expect(code).toBe(1);
  expect(stderr).toContain('curl: (56) Received HTTP code 407 from proxy after CONNECT');
  expect(stderr).toMatch(/error: the proxy refuses its user name or password \(407\): correct proxy in the request\n$/);
  expect(stderr).not.toContain('password2');
});

it('apt and containerd say what the proxy answers', async () => {
  const update = await root(`http_proxy=${WRONG} https_proxy=${WRONG} apt-get update`);
  expect(update.code).toBe(100);
  expect(update.stderr).toMatch(
    /E: Failed to fetch http:\S+InRelease {2}407 {2}Proxy Authentication Required \[IP: 192\.0\.2\.80 3128\]\nE: The repository '\S+ jammy InRelease' is not signed\./,
  );
  await prepare(proxies(SITE_PROXY_URL));
  await root(`sed -i s/password1/password2/ /etc/vnflow/proxy.env`);
  const pull = () => root('crictl pull quay.io/cilium/cilium:v1.14.5');
  expect((await pull()).code).toBe(0);
  await root('systemctl restart containerd; crictl rmi quay.io/cilium/cilium:v1.14.5');
  // without daemon-reload systemd goes on with what it has read
  expect((await pull()).code).toBe(0);
  await root('systemctl daemon-reload; systemctl restart containerd');
  const { code, stderr } = await pull();
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /failed to resolve reference \S+quay\.io\/cilium\/cilium:v1\.14\.5\S+ failed to do request: Head \S+ Proxy Authentication Required/,
  );
});

it('the proxy lets nobody into the networks of the cloud; curl knows no networks as exceptions, Go does', async () => {
  const through = `http_proxy=${SITE_PROXY_URL} https_proxy=${SITE_PROXY_URL}`;
  const curl = async (variables: string) =>
    (await root(`${through} ${variables} curl -sS -o /dev/null -w "%{http_code}" http://10.10.0.21:10248/healthz`))
      .stdout;
  expect(await curl('')).toBe('403');
  expect(await curl('no_proxy=10.10.0.0/24')).toBe('403');
  expect(await curl('no_proxy=10.10.0.20,10.10.0.21')).toBe('000');
  expect(await curl('NO_PROXY=10.10.0.21')).toBe('000');
  const get = async (variables: string) =>
    (await root(`${through} ${variables} kubectl --kubeconfig /root/config get nodes`)).stderr;
  await prepare(proxies(SITE_PROXY_URL));
  await root('cat > /root/config', 'clusters:\n- cluster:\n    server: https://10.10.0.21:6443\n');
  expect(await get('')).toBe('Unable to connect to the server: Forbidden\n');
  expect(await get('NO_PROXY=10.10.0.0/24')).toMatch(/connection to the server 10\.10\.0\.21:6443 was refused/);
});

it('the docker of a registry pulls through the proxy', async () => {
  const { code, stderr } = await runPhase(cloud, NODE, { phase: 'registry', ...proxies(SITE_PROXY_URL) });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(asked()).toContainEqual('docker CONNECT docker.io:443 200');
});
