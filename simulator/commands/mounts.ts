import { normalize } from '../world/files/tree.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const ROOT = '/dev/vda1 on / type ext4 (rw,relatime,discard,errors=remount-ro)\n';

function mountsOf({ node }: CommandContext): readonly string[] {
  return node.state.mounts ?? [];
}

/** `mount DEVICE DIRECTORY` mounts an empty file system; without operands it prints the list. */
function mount(args: readonly string[], context: CommandContext): Output {
  const [device, target] = parseArguments(args, new Set(['-t', '-o'])).operands;
  const { node } = context;
  if (device === undefined)
    return ok(
      ROOT +
        mountsOf(context)
          .map((at) => `/dev/vdb on ${at} type ext4 (rw,relatime)\n`)
          .join(''),
    );
  if (!context.isRoot) return failure(32, `mount: ${target ?? device}: must be superuser to use mount.`);
  const path = context.path(target ?? '');
  if (target === undefined || !node.root.exists(path))
    return failure(32, `mount: ${target ?? ''}: mount point does not exist.`);
  for (const name of node.root.list(path)) node.root.remove(`${path}/${name}`, { recursive: true, force: true });
  node.state.mounts = [...new Set([...mountsOf(context), normalize(path)])];
  node.changed();
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
