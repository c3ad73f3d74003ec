import { randomUUID } from 'node:crypto';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { Machine } from '../../kernel/machine.ts';
import { markSilent } from '../cluster/kube-nodes.ts';
import { kubeletStarted } from '../cluster/registration.ts';
import { mountFromTable, unmountAll } from '../disks/block-devices.ts';
import { DEFAULT_SYSCTL } from '../files/dynamic.ts';
import { childrenOf, removeAll } from '../files/tree.ts';
import { bootServices } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import { fingerprint } from './host-keys.ts';
import { bootedAt, cloudInitDoneAt, log } from './node.ts';
import type { NodeState } from './node-state.ts';

const UserData = z.looseObject({
  ssh_authorized_keys: z.array(z.string()).optional(),
  password: z.string().optional(),
  chpasswd: z.looseObject({ list: z.union([z.string(), z.array(z.string())]).optional() }).optional(),
});

/** Returns the logins of the guide's image (ubuntu / ubuntu) and those of the cloud-config. */
export function loginsOf(machine: Machine): NodeState['users'] {
  const asked = cloudConfig(machine.userData);
  return { ubuntu: { password: asked.password ?? 'ubuntu', keys: asked.keys } };
}

function cloudConfig(userData: string | undefined): { password: string | undefined; keys: readonly string[] } {
  const nothing = { password: undefined, keys: [] };
  if (userData === undefined || userData === '') return nothing;
  const text = userData.includes('#cloud-config') ? userData : Buffer.from(userData, 'base64').toString('utf8');
  if (!text.startsWith('#cloud-config')) return nothing;
  try {
    const asked = UserData.parse(parseYaml(text));
    const list = asked.chpasswd?.list ?? [];
    const entries = typeof list === 'string' ? list.split('\n') : list;
    const own = entries.find((entry) => entry.startsWith('ubuntu:'))?.slice('ubuntu:'.length);
    return { password: asked.password ?? own, keys: asked.ssh_authorized_keys ?? [] };
  } catch {
    return nothing; // cloud-init logs an invalid cloud-config and continues
  }
}

/** Boots the machine in simulated time. */
export function boot(node: SimNode): void {
  const { world, state } = node;
  const { signal } = node.power;
  const until = (time: number) => world.clock.sleep(Math.max(0, time - world.clock.elapsed()), signal);
  const run = async () => {
    await until(bootedAt(node));
    if (state.consoleBoots < state.boots) {
      print(node, bootLines(node));
      bootServices(node);
      kubeletStarted(node);
      state.consoleBoots = state.boots;
      node.changed();
    }
    await until(cloudInitDoneAt(node));
    if (node.root.exists('/run/cloud-init/result.json')) return;
    node.root.write(
      '/run/cloud-init/result.json',
      '{\n "v1": {\n  "datasource": "DataSourceOpenStackLocal [net,ver=2]",\n  "errors": []\n }\n}\n',
    );
    print(node, cloudInitLines(node));
    log(node, 'cloud-final.service', 'Finished Cloud-init: Final Stage.');
    node.save();
  };
  run().catch(() => {}); // the machine was switched off during the boot
}

function print(node: SimNode, text: string): void {
  node.state.console += text;
  if (node.state.console.length > 64_000) node.state.console = node.state.console.slice(-64_000);
  node.changed();
}

function bootLines({ state }: SimNode): string {
  const ports = state.machine.ports.map(
    ({ address, mac }, index) => `ci-info: |  ens${3 + index} | True | ${address} | ${mac} |\n`,
  );
  return `[    0.000000] Linux version 5.15.0-101-generic (buildd@lcy02-amd64-032)\n[    1.204115] systemd[1]: Detected virtualization kvm.\n[    2.113402] cloud-init[520]: Cloud-init v. 23.4.4 running 'init'\n${ports.join('')}\nUbuntu 22.04.4 LTS ${state.hostname} ttyS0\n\n${state.hostname} login: \n`;
}

function cloudInitLines({ state }: SimNode): string {
  const [type = '', blob = ''] = state.hostKey.public.split(' ');
  const row = 'ci-info: no authorized SSH keys fingerprints found for user ubuntu.';
  return `${row}\n<14>Nov 21 10:00:00 cloud-init: #############################################################\n<14>Nov 21 10:00:00 cloud-init: -----BEGIN SSH HOST KEY FINGERPRINTS-----\n<14>Nov 21 10:00:00 cloud-init: 256 ${fingerprint(state.hostKey)} root@${state.hostname} (ED25519)\n<14>Nov 21 10:00:00 cloud-init: -----END SSH HOST KEY FINGERPRINTS-----\n<14>Nov 21 10:00:00 cloud-init: #############################################################\n-----BEGIN SSH HOST KEY KEYS-----\n${type} ${blob} root@${state.hostname}\n-----END SSH HOST KEY KEYS-----\n[   45.113402] cloud-init[1042]: Cloud-init v. 23.4.4 finished. Datasource DataSourceOpenStackLocal [net,ver=2].  Up 45.10 seconds\n`;
}

/** Restart policies of containers that run again after a boot. */
const RESTARTED = new Set(['always', 'unless-stopped']);

/** Switches the machine off: everything that runs ends without output, and /run and /tmp are emptied. */
export function switchOff(node: SimNode): void {
  node.power.abort();
  unmountAll(node);
  markSilent(node);
  node.processes.clear();
  node.locks.clear();
  for (const directory of ['/run', '/tmp']) {
    for (const name of childrenOf(node.tree, directory)) {
      const path = `${directory}/${name}`;
      if (!node.tree.base.entries.has(path)) removeAll(node.tree, path);
    }
  }
  removeAll(node.tree, '/run/cloud-init/result.json');
  for (const [name, unit] of Object.entries(node.state.units)) {
    if (unit.transient) delete node.state.units[name];
    else unit.active = 'inactive';
  }
  for (const container of Object.values(node.state.containers)) {
    // docker starts the others again when it is started
    if (!RESTARTED.has(container.options['restart'] ?? 'no')) container.running = false;
  }
  node.state.kernel.modules = [];
  node.state.kernel.swaps = [];
  node.state.links = [];
  node.state.power = 'off';
  node.changed();
}

/** Switches the machine on and loads the kernel settings from its files. */
export function switchOn(node: SimNode, elapsed: number): void {
  const { state } = node;
  node.power = new AbortController();
  state.power = 'on';
  state.bootedAt = elapsed;
  state.bootId = randomUUID();
  state.boots += 1;
  loadKernelSettings(node);
  mountFromTable(node);
  node.changed();
  node.save();
  boot(node);
}

function loadKernelSettings(node: SimNode): void {
  const { state, root } = node;
  const lines = (directory: string, ending: string) =>
    (root.exists(directory) ? root.list(directory) : [])
      .filter((name) => name.endsWith(ending))
      .flatMap((name) => root.readText(`${directory}/${name}`).split('\n'))
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  Object.assign(state.kernel.sysctl, DEFAULT_SYSCTL);
  state.kernel.modules = [...new Set(lines('/etc/modules-load.d', '.conf'))];
  for (const line of lines('/etc/sysctl.d', '.conf')) {
    const [key, value] = line.split(/\s*=\s*/);
    if (key && value !== undefined) state.kernel.sysctl[key] = value;
  }
  const swaps = root
    .readText('/etc/fstab')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([device, , type]) => device !== undefined && !device.startsWith('#') && type === 'swap');
  state.kernel.swaps = swaps.flatMap(([device]) => (device ? [device] : []));
}
