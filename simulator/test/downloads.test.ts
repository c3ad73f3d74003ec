import { afterAll, expect, it } from 'vitest';
import { startTestCloud } from './testing/nodes.ts';

const cloud = await startTestCloud(5000);
cloud.machine('node', '10.10.0.11');
afterAll(() => cloud.stop());

/** Runs a script as root in a directory of its own. */
const root = (script: string) => cloud.ssh('10.10.0.11', 'sudo bash -s', { stdin: `cd "$(mktemp -d)"\n${script}` });

const RUNC = 'https://github.com/opencontainers/runc/releases/download/v1.1.10/runc.amd64';
const CONTAINERD =
  'https://github.com/containerd/containerd/releases/download/v1.7.11/containerd-1.7.11-linux-amd64.tar.gz';

it('a release has the digest that its project published, as long as it is untouched', async () => {
  const { stdout } = await root(`curl -fsSL -o runc ${RUNC}; sha256sum runc; echo >> runc; sha256sum runc`);
  const [intact, touched] = stdout.split('\n');
  expect(intact).toBe('81f73a59be3d122ab484d7dfe9ddc81030f595cc59968f61c113a9a38a2c113a  runc');
  expect(touched).toMatch(/^[0-9a-f]{64} {2}runc$/);
  expect(touched).not.toBe(intact);
});

it('published sums match their files', async () => {
  const script = `curl -fsSL --remote-name-all --retry 5 --retry-all-errors ${CONTAINERD}{,.sha256sum} && sha256sum -c *.sha256sum`;
  expect(await root(script)).toMatchObject({ code: 0, stdout: 'containerd-1.7.11-linux-amd64.tar.gz: OK\n' });
});

it('curl says why there is no file', async () => {
  const { stdout, stderr } = await root(
    `for url in https://nowhere.invalid/ http://10.10.0.11:81/ ${RUNC}.nothing; do curl -fsSL -o file $url; echo $?; done; ls`,
  );
  expect(stdout).toBe('6\n7\n22\n');
  expect(stderr).toBe(
    'curl: (6) Could not resolve host: nowhere.invalid\ncurl: (7) Failed to connect to 10.10.0.11 port 81 after 0 ms: Connection refused\ncurl: (22) The requested URL returned error: 404\n',
  );
});

it('a client that does not follow redirections gets an empty file', async () => {
  expect((await root(`curl -sS -o runc -w '%{http_code} ' ${RUNC}; wc -c < runc`)).stdout).toBe('302 0\n');
});

it('curl retries as often as its options say', async () => {
  const before = cloud.entries().length;
  const { code, stderr } = await root('curl -fS --retry 2 --retry-connrefused http://127.0.0.1:81/');
  expect(code).toBe(7);
  expect(stderr.match(/Will retry in \d seconds/g)).toEqual(['Will retry in 1 seconds', 'Will retry in 2 seconds']);
  expect(
    cloud
      .entries()
      .slice(before)
      .filter(({ what }) => what.startsWith('curl')),
  ).toHaveLength(1);
});

it('what a release archive holds is installed where it is unpacked', async () => {
  const script = `curl -fsSLO ${CONTAINERD}; command -v containerd; tar -C /usr/local -xzf *.gz && containerd --version`;
  expect((await root(script)).stdout).toContain('containerd github.com/containerd/containerd v1.7.11 ');
});

it('tar refuses what is cut off, no archive, or not in it', async () => {
  const script = `curl -fsSLO ${CONTAINERD}; head -c 5000 *.gz > cut; echo no > text
for words in 'xzf cut' 'xzf text' 'xzf missing' "xzf $(ls *.gz) nothing"; do tar $words > /dev/null; echo $?; done`;
  const { stdout, stderr } = await root(script);
  expect(stdout).toBe('2\n2\n2\n2\n');
  expect(stderr).toMatch(
    /unexpected end of file[\s\S]*not in gzip format[\s\S]*Cannot open[\s\S]*Not found in archive/,
  );
});

it('an archive made on a machine unpacks to equal files and modes', async () => {
  const script = `mkdir -p a/b; echo one > a/b/one; chmod 750 a/b/one; ln -s one a/b/link
tar -czf a.tgz a && rm -r a && tar -xzf a.tgz && stat -c '%a %n' a/b/one && readlink a/b/link && cat a/b/link`;
  expect(await root(script)).toMatchObject({ code: 0, stdout: '750 a/b/one\none\none\n' });
});

it('a key is shown by its fingerprint, and overwritten only with --yes', async () => {
  const url = 'https://pkgs.k8s.io/core:/stable:/v1.26/deb/Release.key';
  const script = `curl -fsSL ${url} > key; gpg --show-keys --with-colons key | grep ^fpr
gpg --dearmor -o key.gpg < key; echo $?; gpg --dearmor -o key.gpg < key; echo $?; gpg --dearmor --yes -o key.gpg < key; echo $?; echo x | gpg --dearmor; echo $?`;
  expect((await root(script)).stdout).toBe('fpr:::::::::DE15B14486CD377B9E876E1A234654DA9A296436:\n0\n2\n0\n2\n');
});
