import type { View } from '../files/view.ts';
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
  /** The names in a directory. Empty when it does not exist. */
  files(directory: string): readonly string[];
  /** The paths of all files below a directory. */
  filesBelow(directory: string): readonly string[];
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
    filesBelow: (directory) => filesBelow(root, directory),
    processes: () => processesOf(node).map(({ argv }) => argv.join(' ')),
    units: () =>
      Object.values(state.units).map(({ name, description }) => ({
        name,
        description,
        active: activeState(node, name),
      })),
  };
}

function filesBelow(root: View, directory: string): readonly string[] {
  const names = root.exists(directory) ? root.list(directory) : [];
  return names.flatMap((name) => {
    const path = `${directory}/${name}`;
    const { kind } = root.stat(path, false);
    return kind === 'directory' ? filesBelow(root, path) : kind === 'file' ? [path] : [];
  });
}
