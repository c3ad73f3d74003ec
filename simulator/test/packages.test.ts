import { afterAll, beforeEach, expect, it } from 'vitest';
import { startTestCloud } from './testing/nodes.ts';

const SPEED = 5000;
const cloud = await startTestCloud(SPEED);
afterAll(() => cloud.stop());

let count = 10;
let address = '';
/** Each test has a machine of its own. */
beforeEach(() => {
  count += 1;
  address = `10.10.0.${count}`;
  cloud.machine(`node${count}`, address);
});

/** Runs a script as root. */
const root = (script: string) => cloud.ssh(address, 'sudo bash -s', { stdin: script });

const REPOSITORY = 'https://pkgs.k8s.io/core:/stable:/v1.26/deb/';
const KEY = '/etc/apt/keyrings/kubernetes.gpg';
const ADD_REPOSITORY = `echo 'deb [signed-by=${KEY}] ${REPOSITORY} /' > /etc/apt/sources.list.d/kubernetes.list\n`;
const ADD_KEY = `curl -fsSL ${REPOSITORY}Release.key | gpg --dearmor --yes -o ${KEY}\n`;

it('without the key of a repository nothing is installed from it', async () => {
  const refused = await root(`${ADD_REPOSITORY}apt-get update`);
  expect(refused).toMatchObject({ code: 100 });
  expect(refused.stderr).toContain('NO_PUBKEY 234654DA9A296436');
  expect(refused.stderr).toContain(`E: The repository '${REPOSITORY.slice(0, -1)}  InRelease' is not signed.`);
  expect(await root('apt-get install -y kubeadm')).toMatchObject({
    code: 100,
    stderr: 'E: Unable to locate package kubeadm\n',
  });
  expect(await root(`${ADD_KEY}apt-get update`)).toMatchObject({ code: 0 });
});

it('a key in the wrong form does not count', async () => {
  const { code } = await root(`${ADD_REPOSITORY}curl -fsSL ${REPOSITORY}Release.key > ${KEY}\napt-get update`);
  expect(code).toBe(100);
});

it('a mirror that cannot be resolved is a warning to apt, one that lacks the repository an error', async () => {
  const unresolved = await root(
    `echo 'deb https://mirror.invalid/x jammy main' > /etc/apt/sources.list.d/x.list; apt-get update`,
  );
  expect(unresolved).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Temporary failure resolving 'mirror.invalid'"),
  });
  const missing = await root(
    `echo 'deb https://pkgs.k8s.io/core:/stable:/v1.99/deb/ /' > /etc/apt/sources.list.d/x.list; apt-get update`,
  );
  expect(missing).toMatchObject({ code: 100, stderr: expect.stringContaining('does not have a Release file.') });
});

it('only root changes packages', async () => {
  const { code, stderr } = await cloud.ssh(address, 'apt-get install -y jq');
  expect({ code, stderr }).toEqual({
    code: 100,
    stderr:
      'E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n',
  });
});

it('the requested version is installed with its dependencies, and stays when held', async () => {
  await root(`${ADD_REPOSITORY}${ADD_KEY}apt-get update`);
  expect(await root("apt-get install -y 'kubelet=1.26.7-*' kubectl=1.26.7-1.1")).toMatchObject({ code: 0 });
  const query = await root(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
    "dpkg-query -W -f='${Package} ${Status} ${Version}\\n' kubelet conntrack; command -v conntrack crictl",
  );
  expect(query.stdout).toBe(
    'kubelet install ok installed 1.26.7-1.1\nconntrack install ok installed 1:1.4.6-2build2\n/usr/sbin/conntrack\n',
  );
  expect((await root('apt-mark hold kubelet')).stdout).toBe('kubelet set on hold.\n');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  expect((await root("dpkg-query -W -f='${Status}' kubelet")).stdout).toBe('hold ok installed');
  expect(await root("apt-get install -y 'kubelet=1.26.8-*'")).toMatchObject({
    code: 100,
    stderr: 'E: Held packages were changed and -y was used without --allow-change-held-packages.\n',
  });
  expect((await root("apt-mark unhold kubelet; apt-get install -y 'kubelet=1.26.8-*'")).code).toBe(0);
  expect(await root('apt-get install -y kubelet=1.26.7-1.1')).toMatchObject({
    code: 100,
    stderr: 'E: Packages were downgraded and -y was used without --allow-downgrades.\n',
  });
});

it('two package tools at once: one waits as long as its options say, or is refused', async () => {
  await root('apt-get update');
  const other = root('flock /var/lib/dpkg/lock-frontend sleep 30000');
  await expect.poll(() => cloud.nodes.node(address)?.processes(), { interval: 1 }).toContain('sleep 30000');
  expect(await root('apt-get install -y jq')).toMatchObject({
    code: 100,
    stderr: expect.stringMatching(/^E: Could not get lock .* It is held by process \d+ \(flock\)\n/),
  });
  expect((await root('fuser /var/lib/dpkg/lock-frontend')).code).toBe(0);
  expect(
    (await root('apt-get install -y -o DPkg::Lock::Timeout=60000 socat; fuser /var/lib/dpkg/lock-frontend')).code,
  ).toBe(1);
  expect((await other).code).toBe(0);
  expect((await root('command -v socat')).code).toBe(0);
});

it('a service that a package brings runs, and is gone with the package', async () => {
  await root('apt-get update; apt-get install -y docker.io');
  expect((await root('systemctl is-active docker containerd; docker ps -q')).code).toBe(0);
  await root('apt-get purge -y docker.io');
  expect((await root('systemctl is-active docker; command -v docker')).stdout).toBe('inactive\n');
});
