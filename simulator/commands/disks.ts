import { contentOf, deviceAt, devicesOf, makeFilesystem } from '../world/disks/block-devices.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const MKFS_VALUES = new Set(['-t', '-L', '-U', '-m', '-E', '-O', '-b', '-i', '-N', '-T']);

/** mke2fs asks before it destroys a file system; without a terminal that is a no. */
function makeFs(args: readonly string[], context: CommandContext, type: string): Output {
  const { node } = context;
  const parsed = parseArguments(args, MKFS_VALUES);
  const [operand = ''] = parsed.operands;
  const path = context.path(operand);
  const device = deviceAt(node, path);
  if (!context.isRoot) return failure(1, `${operand}: Permission denied while trying to determine filesystem size`);
  if (!device)
    return failure(1, `The file ${operand} does not exist and no size was specified.`, 'mke2fs 1.46.5 (30-Dec-2021)\n');
  if (Object.values(node.state.volumeMounts ?? {}).includes(device.volumeId)) {
    return failure(1, `${device.path} is mounted; will not make a filesystem here!`, 'mke2fs 1.46.5 (30-Dec-2021)\n');
  }
  const { filesystem } = contentOf(node, device);
  if (filesystem && !parsed.has('-F')) {
    return failure(1, '', `${device.path} contains a ${filesystem.type} file system\nProceed anyway? (y,N) `);
  }
  const uuid = makeFilesystem(node, device, type);
  return ok(parsed.has('-q') ? '' : `mke2fs 1.46.5 (30-Dec-2021)\nFilesystem UUID: ${uuid}\n`);
}

/** Exit code 2: nothing on the device is known. */
function blkid(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-o', '-s', '-t', '-L', '-U', '-n', '-u']));
  const [operand] = parsed.operands;
  const device = operand === undefined ? undefined : deviceAt(context.node, context.path(operand));
  const filesystem = device && contentOf(context.node, device).filesystem;
  if (!device || !filesystem) return failure(2, '');
  const { type, uuid } = filesystem;
  const tag = parsed.value('-s');
  const values: Record<string, string> = { UUID: uuid, TYPE: type };
  const shown = Object.entries(values).filter(([name]) => tag === undefined || name === tag);
  if (parsed.value('-o') === 'value') return ok(shown.map(([, value]) => `${value}\n`).join(''));
  return ok(`${operand}: ${shown.map(([name, value]) => `${name}="${value}"`).join(' ')}\n`);
}

function lsblk(_: readonly string[], { node }: CommandContext): Output {
  const rows = devicesOf(node).map(({ path, volumeId }) => {
    const at = Object.entries(node.state.volumeMounts ?? {}).find(([, mounted]) => mounted === volumeId)?.[0] ?? '';
    return `${path.slice('/dev/'.length)}    252:16   0   10G  0 disk ${at}\n`;
  });
  return ok(`NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\nvda    252:0    0   20G  0 disk /\n${rows.join('')}`);
}

export const DISKS: CommandTable = {
  'mkfs.ext4': { run: (args, context) => makeFs(args, context, 'ext4') },
  blkid: { run: blkid },
  lsblk: { run: lsblk },
};
