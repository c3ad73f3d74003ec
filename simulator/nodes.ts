import { type Bastion, startBastion } from './apis/ssh/bastion.ts';
import { SHELLS } from './commands/shell/shell.ts';
import type { Clock } from './kernel/clock.ts';
import type { LatencyTable } from './kernel/latency.ts';
import type { Ledger } from './kernel/ledger.ts';
import type { Hypervisor, Network } from './kernel/machine.ts';
import type { Part, Persistence } from './kernel/persistence.ts';
import { type ClusterState, createClusters } from './world/cluster/clusters.ts';
import { type Inspection, inspect } from './world/cluster/inspection.ts';
import { createVirtualAddresses } from './world/cluster/virtual-addresses.ts';
import { createVolumes } from './world/disks/volumes.ts';
import { boot } from './world/nodes/boot.ts';
import { createNodeFaults, type NodeFaults } from './world/nodes/faults.ts';
import { generateHostKey } from './world/nodes/host-keys.ts';
import { createHypervisor, type NodeIndex } from './world/nodes/hypervisor.ts';
import { createNode } from './world/nodes/node.ts';
import type { NodeState } from './world/nodes/node-state.ts';
import { type NodeView, viewOf } from './world/nodes/node-view.ts';
import { resumeTransients } from './world/systemd/transient.ts';
import type { SimNode, World } from './world/world.ts';

export type { NodeFaults } from './world/nodes/faults.ts';

export interface NodesDeps {
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  readonly latency: LatencyTable;
  readonly network: Network;
  /** The seed of all random decisions; 1 by default. */
  readonly seed?: number;
  /** Port of the bastion on 127.0.0.1. Undefined or 0: any free one. */
  readonly bastionPort?: number;
}

export interface Nodes {
  readonly hypervisor: Hypervisor;
  readonly bastion: Pick<Bastion, 'host' | 'port' | 'user' | 'sessions'>;
  readonly faults: NodeFaults;
  /** Finds a machine by its host name, server name, server id or address. */
  node(name: string): NodeView | undefined;
  list(): readonly NodeView[];
  /** All Kubernetes clusters whose etcd data still exists. */
  clusters(): readonly ClusterState[];
  /** What machines and clusters are like now, for examiners in other processes. */
  inspect(): Inspection;
  stop(): Promise<void>;
}

/** Starts the node half of the simulated cloud. Machines of an earlier run continue where they stopped. */
export async function createNodes(deps: NodesDeps): Promise<Nodes> {
  const { clock, ledger, persistence, latency, network } = deps;
  const index = persistence.part<NodeIndex>('nodes', () => ({ ids: [], bastionKey: generateHostKey() }));
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
    volumes: createVolumes(persistence),
    shells: SHELLS,
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
    inspect: () => inspect(world),
    stop: () => stop(world, bastion),
  };
}

/**
 * Stops as a kill would, but writes pending changes first. Units stay active in the state, so the next run resumes
 * them.
 */
async function stop({ nodes, clusters }: World, bastion: Bastion): Promise<void> {
  clusters.freeze();
  for (const node of nodes.values()) {
    node.save();
    node.freeze();
    node.power.abort();
  }
  await bastion.stop();
}
