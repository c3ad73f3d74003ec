import { activeState } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';
import { addressesOf } from './node.ts';
import { processesOf } from './processes.ts';

/** A machine as tests look at it. */
export interface NodeView {
  readonly id: string;
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly power: 'on' | 'off';
  /** Returns the text of a file as root reads it. Undefined when it does not exist. */
  file(path: string): string | undefined;
  files(directory: string): readonly string[];
  processes(): readonly string[];
  units(): readonly { readonly name: string; readonly active: string; readonly description: string }[];
}

export function viewOf(node: SimNode): NodeView {
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
