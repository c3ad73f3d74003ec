import type { Hypervisor, Machine } from '../../kernel/machine.ts';

/** A hypervisor whose machines run nothing, for tests of the cloud alone. */
export interface InertMachines extends Hypervisor {
  readonly running: ReadonlyMap<string, { readonly machine: Machine; isOn: boolean }>;
}

export function createInertMachines(): InertMachines {
  const running = new Map<string, { machine: Machine; isOn: boolean }>();
  return {
    running,
    create: (machine) => void running.set(machine.id, { machine, isOn: true }),
    destroy: (id) => void running.delete(id),
    attachVolume: () => {},
    detachVolume: () => {},
    removeVolume: () => {},
    power: (id, action) => {
      const machine = running.get(id);
      if (machine) machine.isOn = action !== 'stop';
    },
    consoleLog: (id) => (running.has(id) ? `FAKE CONSOLE OUTPUT\nof ${id}\nLAST LINE` : ''),
  };
}
