import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SshResult, startTestCloud, type TestCloud } from './testing/nodes.ts';
import { INSTALL_SCRIPT } from './testing/sample-cluster.ts';

const NODE = '10.10.0.57';
const SPEED = 1000;
const CONTAINERD = 'https://github.com/containerd/containerd/releases/download/v2.3.4/';

let cloud: TestCloud;
beforeEach(async () => {
  cloud = await startTestCloud(SPEED);
  cloud.machine('worker57', NODE);
  await root(`cat > /root/install.sh`, INSTALL_SCRIPT);
});
afterEach(() => cloud.stop());

/** Runs a command as root. */
function root(command: string, stdin = ''): Promise<SshResult> {
  return cloud.ssh(NODE, `sudo bash -c '${command}'`, { stdin });
}

function prepare(more = ''): Promise<SshResult> {
  return root(`NODE_NAME=worker57 NODE_IP=${NODE} ${more} bash /root/install.sh prepare`);
}

function commands(): readonly string[] {
  return cloud
    .entries()
    .filter(({ kind }) => kind === 'command')
    .map(({ what }) => what);
}

const node = () => cloud.nodes.node('worker57');

/** Polls the simulated machine, which runs in this process. */
async function until(condition: () => boolean | undefined): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 5000) throw new Error('did not happen');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('the phase prepare of the install script on a simulated node', () => {
  it('leaves a node that kubeadm accepts; again, it changes nothing', async () => {
    expect(await prepare()).toMatchObject({ code: 0, stderr: '' });
    const state = await root(
      'containerd --version; runc --version | head -n 1; crictl info > /dev/null && echo cri; swapon --show; sysctl -n net.bridge.bridge-nf-call-iptables; apt-mark showhold; dpkg-query -W kubelet',
    );
    expect(state.stdout).toBe(
      'containerd github.com/containerd/containerd v2.3.4 64b8a811b07ba6288238eefc14d898ee0b5b99ba\nrunc version 1.4.3\ncri\n1\nkubeadm\nkubectl\nkubelet\nkubelet\t1.36.4-1.1\n',
    );
    const before = commands().length;
    expect(await prepare()).toMatchObject({ code: 0, stderr: '' });
    const again = commands().slice(before);
    expect(again).toContain(
      'kubeadm config images list --kubernetes-version v1.36.4 --image-repository registry.k8s.io',
    );
    expect(again.filter((line) => /^(apt-|curl|tar|systemctl restart|kubeadm config images pull)/.test(line))).toEqual(
      [],
    );
  });

  it('refuses a spoiled download for good, and installs nothing of it; another run downloads anew', async () => {
    cloud.nodes.faults.add({ kind: 'download-corrupted', urlPrefix: CONTAINERD, times: 1 });
    const { code, stderr } = await prepare();
    expect(code).toBe(1);
    expect(stderr).toContain(
      'does not have the sha256 9d68969855fbf676cdb8ed758e420fb048d61f984f61de3e53eddfebe484d168',
    );
    expect(node()?.file('/usr/local/bin/containerd')).toBeUndefined();
    expect((await prepare()).code).toBe(0);
  });

  it('refuses a download whose digest is not the one that the script pins', async () => {
    await root(`sed -i s/9d68969855fb/9d68969855fc/ /root/install.sh`);
    expect(await prepare()).toMatchObject({ code: 1 });
  });

  it("takes a mirror's file with one of the sums of the parameters, and no other file", async () => {
    const [wrong, right] = ['c'.repeat(64), '9d68969855fbf676cdb8ed758e420fb048d61f984f61de3e53eddfebe484d168'];
    const refused = await prepare(`CONTAINERD_SHA256=${wrong}`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`does not have the sha256 ${wrong}: it is not the file it should be`);
    expect(await prepare(`CONTAINERD_SHA256=${wrong},${right}`)).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes the pinned key alone where a repository publishes several, and another one when the pin changes', async () => {
    const keys = () => root('gpg --show-keys --with-colons /etc/apt/keyrings/kubernetes-apt-keyring.asc | grep ^fpr');
    const [kubernetes, docker] = [
      'DE15B14486CD377B9E876E1A234654DA9A296436',
      '9DC858229FC7DD38854AE2D88D81803C0EBFCD88',
    ];
    const urls = [
      'https://pkgs.k8s.io/core:/stable:/v1.36/deb/Release.key',
      'https://download.docker.com/linux/ubuntu/gpg',
    ];
    for (const url of urls) await root(`curl -fsSL ${url} >> /root/both.key`);
    expect((await root('gpg --show-keys --with-colons /root/both.key | grep ^fpr')).stdout).toContain(docker);
    // the script's own download is replaced: it gets both keys
    await root('cat > /root/install.sh', INSTALL_SCRIPT.replace(/fetch "[^"]*Release.key"/, 'cp /root/both.key'));
    expect(await prepare()).toMatchObject({ code: 0, stderr: '' });
    expect((await keys()).stdout).toBe(`fpr:::::::::${kubernetes}:\n`);
    await prepare(`KUBERNETES_VERSION=1.36.3 KUBERNETES_APT_FINGERPRINT=${docker}`); // apt does not accept it
    expect((await keys()).stdout).toBe(`fpr:::::::::${docker}:\n`);
  });

  it("takes the versions of Tacker's guide, with sums of the script and the configuration of containerd 1", async () => {
    const guide = 'KUBERNETES_VERSION=1.26.8 CONTAINERD_VERSION=1.7.11 RUNC_VERSION=1.1.10';
    expect(await prepare(guide)).toMatchObject({ code: 0, stderr: '' });
    expect(node()?.file('/etc/containerd/config.toml')).toContain('sandbox_image = "registry.k8s.io/pause:3.9"');
    expect(commands().filter((line) => line.includes('.sha256sum'))).toEqual([]);
  });

  it('configures containerd 2: its pause image, the cgroup driver, the directory of registries', async () => {
    expect(await prepare()).toMatchObject({ code: 0, stderr: '' });
    const file = node()?.file('/etc/containerd/config.toml');
    expect(file).toContain('sandbox = "registry.k8s.io/pause:3.10.2"\n');
    expect(file).toContain('SystemdCgroup = true\n');
    expect(file).toContain('config_path = "/etc/containerd/certs.d"\n');
    expect(file).toContain("sandboxer = 'podsandbox'\n");
  });

  it('checks versions without a pin against the published sums', async () => {
    expect((await prepare('CONTAINERD_VERSION=1.7.13 RUNC_VERSION=1.1.12')).code).toBe(0);
    expect((await root('containerd --version; runc --version')).stdout).toMatch(
      /v1\.7\.13 .*\nrunc version 1\.1\.12\n/,
    );
  });

  it('distinguishes permanent failures from temporary ones', async () => {
    expect(await prepare('CONTAINERD_VERSION=1.7.99')).toMatchObject({ code: 1 });
    expect(await prepare('KUBERNETES_APT_FINGERPRINT=0000')).toMatchObject({ code: 1 });
    const unknown = await prepare('KUBERNETES_VERSION=1.26.99');
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain("E: Version '1.26.99-*' for 'kubelet' was not found");
    const down = {
      kind: 'command',
      exitCode: 100,
      stderr: 'E: Failed to fetch http://archive.ubuntu.com  503\n',
    } as const;
    const over = cloud.nodes.faults.add({ ...down, commandPrefix: 'apt-get' });
    expect(await prepare()).toMatchObject({ code: 75 });
    over();
    expect(await prepare('DOWNLOAD_URL=https://mirror.invalid CONTAINERD_VERSION=1.7.13')).toMatchObject({ code: 75 });
    expect(await prepare()).toMatchObject({ code: 0 });
  });

  it('waits for another package tool, and gives up for now after a quarter of an hour', async () => {
    const other = root('flock /var/lib/dpkg/lock-frontend sleep 20000');
    await until(() => node()?.processes().includes('sleep 20000'));
    const { code, stderr } = await prepare();
    expect(code).toBe(75);
    expect(stderr).toMatch(
      /E: Could not get lock \/var\/lib\/dpkg\/lock-frontend\. It is held by process \d+ \(flock\)/,
    );
    cloud.clock.setSpeed(20 * SPEED);
    await other;
    cloud.clock.setSpeed(SPEED);
    expect((await prepare()).code).toBe(0);
  });

  it('stops for good on a full disk, and goes on once there is room', async () => {
    const room = cloud.nodes.faults.add({ kind: 'disk-full' });
    expect((await prepare()).code).toBe(1);
    room();
    const running = prepare();
    await until(() =>
      node()
        ?.processes()
        .some((line) => line.startsWith('apt-get install')),
    );
    const roomAgain = cloud.nodes.faults.add({ kind: 'disk-full' });
    const { code, stderr } = await running;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/no space left on device/i) });
    roomAgain();
    expect((await prepare()).code).toBe(0);
  });

  it('repairs an installation that was killed half-way', async () => {
    await root(`systemd-run --unit=job env NODE_NAME=worker57 NODE_IP=${NODE} bash /root/install.sh prepare`);
    await until(() => node()?.file('/var/lib/dpkg/updates/0001') !== undefined);
    // The second half of the installation takes 30 simulated seconds. In real time, the login arrives before its end.
    cloud.clock.setSpeed(1);
    await root('systemctl stop job');
    cloud.clock.setSpeed(SPEED);
    expect((await root('apt-get install -y jq')).stderr).toContain('E: dpkg was interrupted');
    expect((await prepare()).code).toBe(0);
    expect(commands()).toContain('dpkg --configure -a --force-confold');
  });

  it('makes a registry that answers', async () => {
    expect(await root('bash /root/install.sh registry')).toMatchObject({ code: 0, stderr: '' });
    expect((await root('curl -fsS http://10.10.0.57:5000/v2/')).code).toBe(0);
    const before = commands().length;
    expect((await root('bash /root/install.sh registry')).code).toBe(0);
    expect(
      commands()
        .slice(before)
        .filter((line) => /^(apt-get|docker (pull|run|rm))/.test(line)),
    ).toEqual([]);
  });
});
