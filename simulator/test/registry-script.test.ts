import { readFileSync } from 'node:fs';
import { hashSync } from 'bcryptjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../world/cluster/pki.ts';
import { packTar } from '../world/internet/archive.ts';
import { startTestCloud } from './testing/nodes.ts';

const SCRIPT = readFileSync(
  new URL('../../samples/private-registry/Scripts/install_private_registry.sh', import.meta.url),
  'utf8',
);
const ADDRESS = '10.10.0.5';
const cloud = await startTestCloud(5000);
afterAll(() => cloud.stop());

/** Runs a script as root. */
const root = (script: string) => cloud.ssh(ADDRESS, 'sudo bash -s', { stdin: script });
const phase = (name: string, variables: Record<string, string> = {}) => {
  const exports = Object.entries(variables).map(([key, value]) => `export ${key}='${value}'\n`);
  return root(
    `${exports.join('')}cat > /root/install.sh << 'SCRIPT'\n${SCRIPT}SCRIPT\nbash /root/install.sh ${name}\n`,
  );
};
const dockerVerbs = () =>
  cloud
    .entries()
    .filter(({ kind, what }) => kind === 'command' && what.startsWith('docker '))
    .map(({ what }) => what.split(' ')[1]);

beforeAll(async () => {
  cloud.machine('registry', ADDRESS);
  expect(await phase('prepare')).toMatchObject({ code: 0 });
});

it('starts the registry once: a phase that is repeated leaves it alone, and its images', async () => {
  expect(await phase('registry')).toMatchObject({ code: 0, stderr: '' });
  await root('docker pull busybox; docker tag busybox localhost:5000/busybox; docker push localhost:5000/busybox');
  const before = dockerVerbs().filter((verb) => verb === 'run').length;
  expect(await phase('registry')).toMatchObject({ code: 0, stdout: expect.stringContaining('runs already') });
  expect(dockerVerbs().filter((verb) => verb === 'run')).toHaveLength(before);
});

it('replaces a container that is stopped, or on another port, without losing images', async () => {
  await root('docker stop private_registry');
  expect(await phase('registry')).toMatchObject({ code: 0 });
  expect(await phase('registry', { REGISTRY_PORT: '5001' })).toMatchObject({ code: 0 });
  const { stdout } = await root(
    "curl -s --noproxy '*' http://127.0.0.1:5001/v2/_catalog; docker ps --format '{{.Ports}}'",
  );
  expect(stdout).toBe('{"repositories":["busybox"]}\n0.0.0.0:5001->5000/tcp\n');
});

it('says for good that the port is taken', async () => {
  await root('docker run -d --name other -p 5005:80 busybox');
  const { code, stderr } = await phase('registry', { REGISTRY_PORT: '5005' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/error: port 5005 of the server is taken: choose another port_no\n$/);
});

it('serves TLS and asks for a login, and is made anew only when certificate or users change', async () => {
  await root('docker rm -f private_registry');
  const { certificate, privateKey } = issueCertificate(await createAuthority('ca'), {
    commonName: 'r',
    addresses: [ADDRESS],
    days: 1,
  });
  const access = {
    REGISTRY_TLS_CERTIFICATE: certificate,
    REGISTRY_TLS_KEY: privateKey,
    REGISTRY_HTPASSWD: `alice:${hashSync('secret1', 4)}\n`,
  };
  expect(await phase('registry', access)).toMatchObject({ code: 0, stderr: '' });
  const status = async (words: string) =>
    (await root(`curl -sk -o /dev/null -w '%{http_code}' ${words} https://${ADDRESS}:5000/v2/`)).stdout;
  expect([await status(''), await status('-u alice:secret1')]).toEqual(['401', '200']);
  expect(await phase('registry', access)).toMatchObject({ stdout: expect.stringContaining('runs already') });
  expect(await phase('registry', { ...access, REGISTRY_HTPASSWD: `bob:${hashSync('secret2', 4)}` })).toMatchObject({
    code: 0,
  });
  expect([await status('-u alice:secret1'), await status('-u bob:secret2')]).toEqual(['401', '200']);
  const files = await root("stat -c '%a %n' /var/lib/vnflow/private-registry/access/*");
  expect(files.stdout).toMatch(/^(600 \S+\n){3}$/);
  const { REGISTRY_TLS_KEY: _, ...withoutKey } = access;
  expect((await phase('registry', withoutKey)).stderr).toContain('REGISTRY_TLS_KEY is not');
  expect((await phase('registry', { REGISTRY_HTPASSWD: 'a:b' })).stderr).toContain('REGISTRY_HTPASSWD needs TLS');
});

/** An archive as docker save writes it, of an image of this architecture. */
function archiveOf(architecture: string): string {
  const config = JSON.stringify({ architecture, os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [] } });
  const manifest = JSON.stringify([{ Config: 'c.json', RepoTags: ['registry:mine'], Layers: [] }]);
  const files = { 'c.json': config, 'manifest.json': manifest };
  const members = Object.entries(files).map(
    ([name, bytes]) => ({ kind: 'file', name, mode: 0o644, bytes, to: '' }) as const,
  );
  return packTar(members).toString('base64');
}

it('refuses an archive that is none, and an image for another architecture', async () => {
  await root('docker rm -f private_registry; echo no image > /root/no.tar');
  const none = await phase('registry', { REGISTRY_ARCHIVE: '/root/no.tar' });
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('make it with docker save')]);
  await root(`echo ${archiveOf('arm64')} | base64 -d > /root/arm.tar`);
  const other = await phase('registry', { REGISTRY_ARCHIVE: '/root/arm.tar' });
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('the image registry:mine (image_path) is for arm64, and this server is amd64'),
  ]);
});

it('tries later when docker.io cannot be reached; a login that the proxy refuses is final', async () => {
  cloud.nodes.faults.add({ kind: 'no-way-out' });
  expect(await phase('registry')).toMatchObject({ code: 75, stderr: expect.stringContaining('not now: cannot pull') });
  const proxy = { HTTP_PROXY: 'http://user1:wrong@192.0.2.80:3128', NO_PROXY: 'localhost' };
  expect((await phase('prepare', proxy)).code).toBe(0);
  const { code, stderr } = await phase('registry', proxy);
  expect([code, stderr]).toEqual([1, expect.stringContaining('the proxy refuses its user name or password (407)')]);
});

it('refuses values that could change the meaning of a command, and unknown phases', async () => {
  expect((await phase('registry', { REGISTRY_PORT: '5 000' })).stderr).toContain('REGISTRY_PORT contains a character');
  expect((await phase('nonsense')).stderr).toContain("unknown phase 'nonsense': prepare or registry");
});

const VOLUME = '3b1e9c52-7d0a-4f6e-9a2b-5c8d7e6f1a20';
const at = (address: string, script: string) => cloud.ssh(address, 'sudo bash -s', { stdin: script });
const startOn = (address: string, volume: string) =>
  at(
    address,
    `cat > /root/install.sh << 'SCRIPT'\n${SCRIPT}SCRIPT\nbash /root/install.sh prepare && REGISTRY_VOLUME=${volume} bash /root/install.sh registry\n`,
  );
const CATALOG = "curl -s --noproxy '*' http://127.0.0.1:5000/v2/_catalog";

it('formats a new volume once, and another server finds its images on it, also after a boot', async () => {
  cloud.nodes.faults.clear();
  cloud.machine('first', '10.10.0.6', { volumes: [VOLUME] });
  const { code, stdout, stderr } = await startOn('10.10.0.6', VOLUME);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('making a file system on the new volume');
  await at('10.10.0.6', 'docker pull busybox; docker tag busybox localhost:5000/kept; docker push localhost:5000/kept');
  expect((await startOn('10.10.0.6', VOLUME)).stdout).not.toContain('making a file system');
  cloud.nodes.hypervisor.destroy('server-first');

  cloud.machine('second', '10.10.0.7', { volumes: [VOLUME] });
  const second = await startOn('10.10.0.7', VOLUME);
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).not.toContain('making a file system');
  expect((await at('10.10.0.7', CATALOG)).stdout).toBe('{"repositories":["kept"]}\n');
  cloud.nodes.hypervisor.power('server-second', 'reboot');
  await expect.poll(async () => (await at('10.10.0.7', CATALOG)).stdout).toBe('{"repositories":["kept"]}\n');
  const { stdout: table } = await at('10.10.0.7', 'grep private_registry /etc/fstab /proc/mounts');
  expect(table).toBe(
    `/etc/fstab:/dev/disk/by-id/virtio-${VOLUME.slice(0, 20)} /private_registry auto defaults,nofail,x-systemd.device-timeout=30s 0 2\n/proc/mounts:/dev/vdb /private_registry ext4 rw,relatime 0 0\n`,
  );
});

it('never formats a volume on which it finds anything, and waits for one that is not attached', async () => {
  const other = '7c2f0d63-8e1b-4a7f-8b3c-6d9e8f7a2b31';
  cloud.machine('third', '10.10.0.8', { volumes: [other] });
  await at('10.10.0.8', `mkfs.ext4 -q /dev/vdb; mount /dev/vdb /mnt; echo data > /mnt/data; umount /mnt`);
  const exits = (code: number, stdout: string) =>
    cloud.nodes.faults.add({ kind: 'command', commandPrefix: 'blkid', exitCode: code, stderr: stdout, node: 'third' });
  const remove = exits(8, '/dev/vdb: ambivalent result (probably more filesystems on the device)');
  const { code, stderr } = await startOn('10.10.0.8', other);
  expect(code).toBe(1);
  expect(stderr).toContain('cannot be told (blkid: 8); it was not changed');
  remove();
  expect((await at('10.10.0.8', 'mount /dev/vdb /mnt && cat /mnt/data && umount /mnt')).stdout).toBe('data\n');
  const absent = await startOn('10.10.0.8', VOLUME);
  expect(absent.code).toBe(75);
  expect(absent.stderr).toContain(`the volume ${VOLUME} is not attached to the server`);
});
