import type { Hypervisor, Machine } from '../../kernel/machine.ts';
import type { Part } from '../../kernel/persistence.ts';
import { recordVoters } from '../cluster/etcd.ts';
import { attachDisk, detachDisk } from '../disks/block-devices.ts';
import type { SimNode, World } from '../world.ts';
import { boot, loginsOf, switchOff, switchOn } from './boot.ts';
import type { HostKey } from './host-keys.ts';
import { createNode, newNodeState } from './node.ts';
import type { NodeState } from './node-state.ts';

/** The part of the world that says which machines exist. */
export interface NodeIndex {
  ids: string[];
  readonly bastionKey: HostKey;
}

/** Creates, switches and destroys machines as Nova orders it. */
export function createHypervisor(world: World, index: Part<NodeIndex>): Hypervisor {
  const { nodes, ledger, clock, persistence } = world;
  const record = (node: SimNode, what: string) =>
    ledger.record({ kind: 'machine', where: node.label(), what, detail: { server: node.id } });
  return {
    create: (machine: Machine) => {
      if (nodes.has(machine.id)) return;
      const part = persistence.part<NodeState>(`node-${machine.id}`, () =>
        newNodeState(machine, clock.elapsed(), loginsOf(machine)),
      );
      const node = createNode(world, part);
      const keys = Object.values(node.state.users).flatMap((account) => account.keys);
      if (keys.length > 0) {
        node.root.write('/home/ubuntu/.ssh/authorized_keys', `${keys.join('\n')}\n`, { mode: 0o600 });
        node.root.chown('/home/ubuntu/.ssh/authorized_keys', 'ubuntu');
      }
      for (const volumeId of machine.volumes ?? []) attachDisk(node, volumeId);
      nodes.set(machine.id, node);
      index.state.ids.push(machine.id);
      index.flush();
      part.flush();
      record(node, 'create');
      boot(node);
    },
    destroy: (id) => {
      const node = nodes.get(id);
      if (!node) return;
      switchOff(node);
      record(node, 'destroy');
      nodes.delete(id);
      forgetLostClusters(world);
      recordVotersOf(world, id, 'destroy');
      node.freeze();
      node.remove();
      index.state.ids = index.state.ids.filter((other) => other !== id);
      index.flush();
    },
    attachVolume: (id, volumeId) => {
      const node = nodes.get(id);
      if (node) attachDisk(node, volumeId);
      node?.save();
    },
    detachVolume: (id, volumeId) => {
      const node = nodes.get(id);
      if (node) detachDisk(node, volumeId);
      node?.save();
    },
    removeVolume: (volumeId) => world.volumes.remove(volumeId),
    power: (id, action) => {
      const node = nodes.get(id);
      if (!node) return;
      record(node, action);
      if (action !== 'start' && node.state.power === 'on') switchOff(node);
      if (action !== 'stop' && node.state.power === 'off') switchOn(node, clock.elapsed());
      node.save();
      recordVotersOf(world, id, action);
    },
    consoleLog: (id) => nodes.get(id)?.state.console ?? '',
  };
}

/** Records the voters of the clusters of a machine, because a change of the machine may stop or start a voter. */
function recordVotersOf(world: World, id: string, what: string): void {
  for (const cluster of world.clusters.all()) {
    if (cluster.etcd.members.some(({ server }) => server === id)) recordVoters(world, cluster, `${what} ${id}`);
  }
}

/** Removes clusters whose etcd members have no machine any more: their data is lost. */
function forgetLostClusters(world: World): void {
  for (const cluster of world.clusters.all()) {
    if (!cluster.etcd.members.some(({ server }) => world.nodes.has(server))) world.clusters.remove(cluster.id);
  }
}
