import { type NodeHalf, type Simulator, type SimulatorOptions, startSimulatorWith } from './composition.ts';
import { createInertMachines } from './openstack/inert-machines.ts';

export type { Simulator, SimulatorOptions } from './composition.ts';

/**
 * The embedded cloud: OpenStack's APIs and the nodes behind a bastion, on loopback.
 * @throws when a port is taken
 */
export function startSimulator(options: SimulatorOptions = {}): Promise<Simulator<NodeHalf>> {
  return startSimulatorWith(options, () => ({
    ...createInertMachines(),
    bastion: { host: '127.0.0.1', port: 0, user: 'none' },
    stop: async () => undefined,
  }));
}
