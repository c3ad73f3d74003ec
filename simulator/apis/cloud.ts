import type { Express } from 'express';
import type { Clock } from '../kernel/clock.ts';
import type { LatencyTable } from '../kernel/latency.ts';
import type { Ledger } from '../kernel/ledger.ts';
import type { Hypervisor, Network } from '../kernel/machine.ts';
import type { Persistence } from '../kernel/persistence.ts';
import { createChance } from '../world/cloud/chance.ts';
import type { CloudState } from '../world/cloud/cloud-state.ts';
import { createFaults, type Faults } from '../world/cloud/faults.ts';
import { addHosts, createFirstWorld, type WorldOptions } from '../world/cloud/first-world.ts';
import type { Foundation } from '../world/cloud/foundation.ts';
import { Designer } from '../world/cloud/heat/design.ts';
import { createEngine } from '../world/cloud/heat/engine.ts';
import { networkKinds } from '../world/cloud/heat/network-kinds.ts';
import { otherKinds } from '../world/cloud/heat/other-kinds.ts';
import { serverKind } from '../world/cloud/heat/server-kind.ts';
import { StackStore } from '../world/cloud/heat/stack-store.ts';
import { createValidator } from '../world/cloud/heat/validation.ts';
import { createNetworkChanges } from '../world/cloud/neutron/changes.ts';
import { NetworkStore } from '../world/cloud/neutron/network-store.ts';
import { ComputeStore } from '../world/cloud/nova/compute-store.ts';
import { createCinder } from './cinder.ts';
import { createGlance } from './glance.ts';
import { createAlarmSignals } from './heat/alarm-routes.ts';
import { createHeat } from './heat/heat.ts';
import { createStackViews } from './heat/views.ts';
import { createKeystone } from './keystone/keystone.ts';
import { createSessions } from './keystone/sessions.ts';
import { createNeutron } from './neutron/neutron.ts';
import { createNova } from './nova/nova.ts';
import { mountService } from './server.ts';
import { createSwift } from './swift.ts';

export interface CloudOptions extends WorldOptions {
  readonly clock: Clock;
  readonly latency: LatencyTable;
  readonly ledger: Ledger;
  readonly persistence: Persistence;
  /** The base URL of the server. It is available after the server listens. */
  readonly url: () => string;
  readonly vnfmUrl: string;
  /** Wall-clock seconds that a token lives. */
  readonly tokenLifetime: number;
  /**
   * Returns the hypervisor. It is a function because the hypervisor needs the network of the cloud, which is made
   * first.
   */
  readonly machines: () => Hypervisor;
}

/** The simulated OpenStack. */
export interface Cloud {
  /** Tests may read the state; they change it through the APIs. */
  readonly state: CloudState;
  readonly faults: Faults;
  /** Tells the nodes which machine has an address. */
  readonly network: Network;
  power(serverId: string, action: 'start' | 'stop' | 'reboot' | 'crash'): void;
  mount(app: Express): void;
  /** Continues the builds, deletions and stack actions that were in progress when the simulator stopped. */
  resume(): void;
  stop(): Promise<void>;
}

export function createCloud(options: CloudOptions): Cloud {
  const { clock, latency, ledger, persistence, machines } = options;
  const part = persistence.part<CloudState>('cloud', () => createFirstWorld(options));
  const { state } = part;
  addHosts(state, options.hosts ?? 0);
  const faults = createFaults(persistence, ({ service, effect }, place) =>
    ledger.record({ kind: 'fault', where: service, what: place, detail: { effect: Object.keys(effect).join(',') } }),
  );
  // A kill -9 may lose the last value of the counter. A jump keeps ids from being drawn twice: nodes may have kept one.
  if (Object.keys(state.serviceIds).length > 0) state.draws += 100_000;
  const chance = createChance(state.seed, state);
  const foundation: Foundation = {
    state,
    clock,
    latency,
    chance,
    faults,
    changed: part.changed,
    flush: persistence.flushAll,
    url: options.url,
  };
  const sessions = createSessions(foundation, options.tokenLifetime);
  const network = new NetworkStore(foundation);
  const changes = createNetworkChanges(foundation, network);
  const compute = new ComputeStore(foundation, network, machines);
  const kinds = {
    'OS::Nova::Server': serverKind(foundation, network, compute),
    ...networkKinds({ foundation, network, changes }),
    ...otherKinds(foundation, compute),
  };
  const designer = new Designer(foundation, kinds);
  const validator = createValidator(designer, network, compute);
  const store = new StackStore(foundation);
  const engine = createEngine({ foundation, designer, validator, store });
  const views = createStackViews(foundation, designer);
  const heat = { foundation, designer, validator, store, engine, views };
  const services = [
    createKeystone(foundation, sessions, options.vnfmUrl),
    createHeat(heat),
    createAlarmSignals(heat),
    createNova(foundation, network, compute, machines),
    createNeutron(foundation, network, changes),
    createGlance(foundation),
    createCinder(foundation, compute),
    createSwift(foundation),
  ];
  return {
    state,
    faults,
    network: {
      machineAt: (address) => {
        const floating = network.floatingIpAt(address);
        const portIds = floating ? [floating.portId ?? ''] : network.addresses.portsAt(address);
        return portIds.map((id) => state.ports[id]?.deviceId ?? '').find((id) => state.servers[id] !== undefined);
      },
      fixedAddressOf: (address) => network.floatingIpAt(address)?.fixedAddress ?? undefined,
    },
    power: (serverId, action) => compute.power(serverId, action),
    mount: (app) => {
      for (const service of services) mountService(app, service, { foundation, sessions, ledger });
    },
    resume: () => {
      compute.resume();
      engine.resume();
    },
    stop: async () => {
      await engine.stop();
      compute.stop();
      part.flush();
    },
  };
}
