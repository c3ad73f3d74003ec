import { type Simulator as Composed, type SimulatorOptions, startSimulatorWith } from './composition.ts';
import { createNodes, type Nodes } from './nodes.ts';

export type { SimulatorOptions } from './composition.ts';

/** The running cloud: OpenStack's APIs and the nodes. */
export type Simulator = Composed<Nodes>;

/**
 * Starts the embedded cloud: OpenStack's APIs, and the nodes behind a bastion, on loopback.
 * @throws Error when a port is taken
 */
export function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulatorWith(options, createNodes);
}
