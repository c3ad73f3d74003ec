import type { Clock } from '../kernel/clock.ts';
import type { LatencyTable } from '../kernel/latency.ts';
import type { Ledger } from '../kernel/ledger.ts';
import type { Hypervisor, Machine, Network } from '../kernel/machine.ts';
import type { Part, Persistence } from '../kernel/persistence.ts';
import { boot, loginsOf, switchOff, switchOn } from './boot.ts';
import { type ClusterState, createClusters } from './cluster/clusters.ts';
import { recordVoters } from './cluster/etcd.ts';
import { createVirtualAddresses } from './cluster/keepalived.ts';
import { processesOf } from './commands/processes.ts';
import { createNodeFaults, type NodeFaults } from './faults.ts';
import { addressesOf, createNode, type NodeState, newNodeState, type SimNode } from './node.ts';
import { type Bastion, startBastion } from './ssh/bastion.ts';
import { generateHostKey } from './ssh/host-keys.ts';
import { activeState } from './systemd/services.ts';
import { resumeTransients } from './systemd/transient.ts';
import type { World } from './world.ts';

export type { NodeFaults } from './faults.ts';

export interface NodesDeps {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  readonly latency: LatencyTable;
  readonly network: Network;
  /** Decides what is left to chance; default 1. */
  readonly seed?: number;
  /** Port of the bastion on 127.0.0.1; default: any free one. */
  readonly bastionPort?: number;
}

/** A machine as tests look at it. */
export interface NodeView {
  readonly id: string;
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly power: 'on' | 'off';
  /** Text of a file as root reads it; `undefined` if there is none. */
  file(path: string): string | undefined;
  files(directory: string): readonly string[];
  processes(): readonly string[];
  units(): readonly { readonly name: string; readonly active: string; readonly description: string }[];
}

export interface Nodes {
  readonly hypervisor: Hypervisor;
  readonly bastion: Pick<Bastion, 'host' | 'port' | 'user' | 'sessions'>;
  readonly faults: NodeFaults;
  /** By host name, server name, server id or address. */
  node(name: string): NodeView | undefined;
  list(): readonly NodeView[];
  /** Every Kubernetes cluster that was ever initialised and whose etcd data is still known. */
  clusters(): readonly ClusterState[];
  stop(): Promise<void>;
}

interface Index {
  ids: string[];
  readonly bastionKey: ReturnType<typeof generateHostKey>;
}

/** Starts the node half of the simulated cloud: machines that existed before go on where they were. */
export async function createNodes(deps: NodesDeps): Promise<Nodes> {
  const { clock, ledger, persistence, latency, network } = deps;
  const index = persistence.part<Index>('nodes', () => ({ ids: [], bastionKey: generateHostKey() }));
  const faults = createNodeFaults(persistence, (state, { node: _, ...fault }) =>
    ledger.record({ kind: 'fault', where: state.hostname, what: fault.kind, detail: { fault: JSON.stringify(fault) } }),
  );
  const nodes = new Map<string, SimNode>();
  const world: World = {
    clock,
    ledger,
    persistence,
    latency,
    network,
    seed: deps.seed ?? 1,
    faults,
    nodes,
    clusters: createClusters(persistence),
    nodeAt: () => undefined,
  };
  const virtual = createVirtualAddresses(world);
  const nodeAt = (address: string): SimNode | undefined => {
    const id = network.machineAt(address);
    return (id === undefined ? undefined : nodes.get(id)) ?? virtual(network.fixedAddressOf(address) ?? address);
  };
  Object.assign(world, { nodeAt });
  for (const id of index.state.ids) {
    const part = persistence.part<NodeState | null>(`node-${id}`, () => null);
    if (part.state) nodes.set(id, createNode(world, part as Part<NodeState>));
  }
  for (const node of nodes.values()) {
    if (node.state.power === 'off') continue;
    boot(node);
    resumeTransients(node);
  }
  index.flush();
  const bastion = await startBastion(world, { hostKey: index.state.bastionKey, port: deps.bastionPort ?? 0, nodeAt });
  const { host, port, user, sessions } = bastion;
  const find = (name: string): SimNode | undefined =>
    nodes.get(name) ??
    [...nodes.values()].find(({ state }) => state.hostname === name || state.machine.name === name) ??
    nodeAt(name);
  return {
    hypervisor: createHypervisor(world, index),
    bastion: { host, port, user, sessions },
    faults,
    node: (name) => {
      const node = find(name);
      return node ? viewOf(node) : undefined;
    },
    list: () => [...nodes.values()].map(viewOf),
    clusters: () => world.clusters.all(),
    stop: () => stop(world, bastion),
  };
}

/** As if the process had been killed, but for what waits to be written: units stay running in the state. */
async function stop({ nodes, clusters }: World, bastion: Bastion): Promise<void> {
  clusters.freeze();
  for (const node of nodes.values()) {
    node.save();
    node.freeze();
    node.power.abort();
  }
  await bastion.stop();
}

function createHypervisor(world: World, index: Part<Index>): Hypervisor {
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

/** What happened to a machine may have stopped or started a voter. */
function recordVotersOf(world: World, id: string, what: string): void {
  for (const cluster of world.clusters.all()) {
    if (cluster.etcd.members.some(({ server }) => server === id)) recordVoters(world, cluster, `${what} ${id}`);
  }
}

/** A cluster none of whose etcd members has a machine any more: its data is gone. */
function forgetLostClusters(world: World): void {
  for (const cluster of world.clusters.all()) {
    if (!cluster.etcd.members.some(({ server }) => world.nodes.has(server))) world.clusters.remove(cluster.id);
  }
}

function viewOf(node: SimNode): NodeView {
  const { root, state } = node;
  return {
    id: node.id,
    hostname: state.hostname,
    addresses: addressesOf(node),
    power: state.power,
    file: (path) => (root.exists(path) ? root.readText(path) : undefined),
    files: (directory) => (root.exists(directory) ? root.list(directory) : []),
    processes: () => processesOf(node).map(({ argv }) => argv.join(' ')),
    units: () =>
      Object.values(state.units).map(({ name, description }) => ({
        name,
        description,
        active: activeState(node, name),
      })),
  };
}
