import {
  type BlockDevice,
  contentOf,
  deviceAt,
  devicesOf,
  mountFromTable,
  mountVolume,
  tableOf,
  unmountVolume,
} from '../world/disks/block-devices.ts';
import { normalize } from '../world/files/tree.ts';
import { runningContainers } from '../world/images/published-ports.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const ROOT = '/dev/vda1 on / type ext4 (rw,relatime,discard,errors=remount-ro)\n';

function mountsOf({ node }: CommandContext): readonly string[] {
  return node.state.mounts ?? [];
}

/**
 * `mount DEVICE DIRECTORY` mounts the file system of a volume, or an empty one when no such volume is attached.
 * `mount DIRECTORY` and `mount -a` look into /etc/fstab. Without operands it prints the list.
 */
function mount(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-t', '-o']));
  const [first, second] = parsed.operands;
  const { node } = context;
  if (parsed.has('-a', '--all')) {
    mountFromTable(node);
    return ok();
  }
  if (first === undefined)
    return ok(
      ROOT +
        mountsOf(context)
          .map((at) => `${deviceOf(context, at)} on ${at} type ext4 (rw,relatime)\n`)
          .join(''),
    );
  if (!context.isRoot) return failure(32, `mount: ${second ?? first}: must be superuser to use mount.`);
  const device = second === undefined ? tableOf(node).find(({ at }) => at === context.path(first))?.device : first;
  if (device === undefined) return failure(1, `mount: ${first}: can't find in /etc/fstab.`);
  const target = second ?? first;
  const path = context.path(target);
  const volume = deviceAt(node, context.path(device));
  if (!volume && /\/by-id\//.test(device))
    return failure(32, `mount: ${target}: special device ${device} does not exist.`);
  if (volume) return mountAttached(context, { volume, target, path });
  if (!node.root.exists(path)) return failure(32, `mount: ${target}: mount point does not exist.`);
  for (const name of node.root.list(path)) node.root.remove(`${path}/${name}`, { recursive: true, force: true });
  node.state.mounts = [...new Set([...mountsOf(context), normalize(path)])];
  node.changed();
  return ok();
}

interface Attached {
  readonly volume: BlockDevice;
  /** As the command has it. */
  readonly target: string;
  readonly path: string;
}

function mountAttached({ node }: CommandContext, { volume, target, path }: Attached): Output {
  if (!node.root.exists(path)) return failure(32, `mount: ${target}: mount point does not exist.`);
  if (node.state.volumeMounts?.[path] === volume.volumeId) {
    return failure(32, `mount: ${target}: ${volume.path} already mounted on ${path}.`);
  }
  if (!contentOf(node, volume).filesystem) {
    return failure(
      32,
      `mount: ${target}: wrong fs type, bad option, bad superblock on ${volume.path}, missing codepage or helper program, or other error.`,
    );
  }
  mountVolume(node, volume, path);
  return ok();
}

function deviceOf({ node }: CommandContext, at: string): string {
  const mounted = node.state.volumeMounts?.[at];
  return devicesOf(node).find(({ volumeId }) => volumeId === mounted)?.path ?? '/dev/vdb';
}

/** A container that runs with a directory of the mount keeps it busy. */
function umount(args: readonly string[], context: CommandContext): Output {
  const [operand = ''] = parseArguments(args, new Set(['-t', '-O'])).operands;
  const { node } = context;
  const path = context.path(operand);
  const device = deviceAt(node, path);
  const at = device
    ? Object.keys(node.state.volumeMounts ?? {}).find((one) => node.state.volumeMounts?.[one] === device.volumeId)
    : path;
  if (at === undefined || node.state.volumeMounts?.[at] === undefined) {
    return failure(32, `umount: ${operand}: not mounted.`);
  }
  if (!context.isRoot) return failure(32, `umount: ${operand}: must be superuser to unmount.`);
  const isBusy = runningContainers(node).some(([, { options }]) =>
    (options['volumes'] ?? '').split(',').some((text) => isWithin(at, text.split(':')[0] ?? '')),
  );
  if (isBusy) return failure(32, `umount: ${operand}: target is busy.`);
  unmountVolume(node, at);
  return ok();
}

const isWithin = (directory: string, path: string) => path === directory || path.startsWith(`${directory}/`);

/** Removes everything below a directory except the mounts and the directories that lead to them. */
function emptyAround(directory: string, mounts: readonly string[], context: CommandContext): void {
  for (const name of context.files.list(directory)) {
    const path = `${directory}/${name}`;
    if (mounts.some((at) => isWithin(path, at))) emptyAround(path, mounts, context);
    else context.files.remove(path, { recursive: true, force: true });
  }
}

/** `rm -r` empties a mount but cannot remove it (EBUSY). just-bash's rm does the rest. */
async function rm(args: readonly string[], context: CommandContext): Promise<Output> {
  const parsed = parseArguments(args, new Set());
  const mounts = mountsOf(context);
  const busy = parsed.operands.filter((operand) => mounts.some((at) => isWithin(context.path(operand), at)));
  if (busy.length === 0 || !parsed.has('-r', '-R', '--recursive')) return context.original(args);
  for (const operand of busy) emptyAround(context.path(operand), mounts, context);
  const rest = parsed.operands.filter((operand) => !busy.includes(operand));
  const flags = [...parsed.options.keys()];
  const { stderr = '' } = rest.length > 0 ? await context.original([...flags, ...rest]) : {};
  const refused = mounts.filter((at) => busy.some((operand) => isWithin(context.path(operand), at)));
  return failure(1, stderr + refused.map((at) => `rm: cannot remove '${at}': Device or resource busy\n`).join(''));
}

/** A mount cannot be moved (EBUSY). A file that is moved onto a mount lands inside, as with any directory. */
async function mv(args: readonly string[], context: CommandContext): Promise<Output> {
  const operands = parseArguments(args, new Set(['-t', '-S'])).operands;
  const source = operands.slice(0, -1).find((operand) => mountsOf(context).includes(context.path(operand)));
  if (source === undefined) return context.original(args);
  return failure(1, `mv: cannot move '${source}' to '${operands.at(-1)}': Device or resource busy`);
}

export const MOUNTS: CommandTable = {
  mount: { run: mount },
  umount: { run: umount },
  mountpoint: {
    run: (args, context) => {
      const [operand = '.'] = parseArguments(args, new Set()).operands;
      const isOne = mountsOf(context).includes(context.path(operand));
      return { ...ok(`${operand} is ${isOne ? '' : 'not '}a mountpoint\n`), exitCode: isOne ? 0 : 32 };
    },
  },
  rm: { run: rm },
  mv: { run: mv },
};
