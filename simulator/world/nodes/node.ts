import { randomBytes, randomUUID } from 'node:crypto';
import type { Machine } from '../../kernel/machine.ts';
import type { Part } from '../../kernel/persistence.ts';
import { UBUNTU_22_04 } from '../files/base-image.ts';
import { DEFAULT_SYSCTL, dynamicFiles } from '../files/dynamic.ts';
import { FileError, type Tree } from '../files/tree.ts';
import { View } from '../files/view.ts';
import type { SimNode, World } from '../world.ts';
import { generateHostKey } from './host-keys.ts';
import type { NodeState } from './node-state.ts';

/**
 * Makes the state of a new machine.
 * @param elapsed simulated seconds
 * @param users logins of the image, and keys from cloud-init
 */
export function newNodeState(machine: Machine, elapsed: number, users: NodeState['users']): NodeState {
  return {
    machine,
    machineId: randomBytes(16).toString('hex'),
    hostKey: generateHostKey(),
    users,
    power: 'on',
    bootedAt: elapsed,
    bootId: randomUUID(),
    boots: 1,
    hostname: hostnameOf(machine),
    files: {},
    kernel: { modules: [], sysctl: { ...DEFAULT_SYSCTL }, swaps: ['/swap.img'] },
    packages: {},
    images: [],
    links: [],
    units: {},
    containers: {},
    journal: [],
    console: '',
    consoleBoots: 0,
  };
}

/** Derives the host name from the server name, like cloud-init. */
function hostnameOf(machine: Machine): string {
  const name = machine.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name.slice(0, 63) || 'ubuntu';
}

/** Paths of file systems that a full disk does not affect. */
const IN_MEMORY = /^\/(run|dev|proc|sys)\//;

export function createNode(world: World, part: Part<NodeState>): SimNode {
  const { state } = part;
  let dirty = false;
  let frozen = false;
  const changed = () => {
    if (frozen) return;
    dirty = true;
    part.changed();
  };
  const tree: Tree = {
    base: UBUNTU_22_04,
    changes: state.files,
    dynamic: dynamicFiles(state, { uptime: () => world.clock.elapsed() - state.bootedAt, changed }),
    beforeGrowth: (path) => {
      if (!IN_MEMORY.test(path) && world.faults.diskFull(state)) throw new FileError('ENOSPC', 'write', path);
    },
    changed,
    now: () => Date.now(),
  };
  return {
    id: state.machine.id,
    world,
    state,
    tree,
    root: new View(tree, { user: 'root', umask: 0o022 }),
    processes: new Map(),
    power: new AbortController(),
    locks: new Map(),
    nextPid: 1200,
    changed,
    save: () => {
      world.clusters.save();
      if (!dirty || frozen) return;
      dirty = false;
      part.flush();
    },
    freeze: () => {
      frozen = true;
    },
    remove: () => part.remove(),
    label: () => state.hostname,
  };
}

/** Returns the simulated time at which sshd answers after the present boot. */
export function bootedAt(node: SimNode): number {
  return node.state.bootedAt + node.world.latency.boot;
}

/** Returns the simulated time at which cloud-init is done. Only the first boot takes long. */
export function cloudInitDoneAt(node: SimNode): number {
  const entry = node.world.latency.commands.find(({ prefix }) => prefix === 'cloud-init status --wait');
  return bootedAt(node) + (node.state.boots === 1 ? (entry?.seconds ?? 0) : 0);
}

export function isUp(node: SimNode): boolean {
  return hasBooted(node) && !node.world.faults.unreachable(node.state);
}

/** Whether the machine runs, for others to reach or not. */
export function hasBooted(node: SimNode): boolean {
  return node.state.power === 'on' && node.world.clock.elapsed() >= bootedAt(node);
}

/** Returns the fixed addresses of the machine's ports, in the order of the ports. */
export function addressesOf(node: SimNode): readonly string[] {
  return node.state.machine.ports.map(({ address }) => address);
}

export function log(node: SimNode, unit: string, text: string): void {
  node.state.journal.push({ at: new Date().toISOString(), unit, text });
  if (node.state.journal.length > 200) node.state.journal.splice(0, node.state.journal.length - 200);
  node.changed();
}
