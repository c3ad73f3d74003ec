import { listeningPorts } from '../world/cluster/endpoints.ts';
import { virtualAddressesHeldBy } from '../world/cluster/virtual-addresses.ts';
import { sysctlValue } from '../world/files/dynamic.ts';
import { addressesOf } from '../world/nodes/node.ts';
import type { SimNode } from '../world/world.ts';
import { type CommandContext, type CommandTable, failure, type Output, ok, parseArguments } from './shell/command.ts';

const MODULES = new Set(
  'overlay br_netfilter bridge ip_vs ip_vs_rr ip_vs_wrr ip_vs_sh nf_conntrack nf_nat xt_conntrack vxlan iptable_nat ip_tables veth dm_thin_pool loop nbd dummy'.split(
    ' ',
  ),
);

function modprobe(args: readonly string[], { node, isRoot }: CommandContext): Output {
  const parsed = parseArguments(args, new Set(['-C', '-d', '-S']));
  const names = parsed.has('-a', '--all') ? parsed.operands : parsed.operands.slice(0, 1);
  for (const name of names.map((operand) => operand.replaceAll('-', '_'))) {
    if (!MODULES.has(name)) {
      return failure(1, `modprobe: FATAL: Module ${name} not found in directory /lib/modules/5.15.0-101-generic`);
    }
    if (!isRoot) return failure(1, `modprobe: ERROR: could not insert '${name}': Operation not permitted`);
    const { modules } = node.state.kernel;
    if (parsed.has('-r')) node.state.kernel.modules = modules.filter((other) => other !== name);
    else if (!modules.includes(name)) modules.push(name);
  }
  node.changed();
  return ok();
}

function setKeys(lines: readonly string[], context: CommandContext): Output {
  let stdout = '';
  let stderr = '';
  for (const line of lines) {
    const [, quiet, key = '', value = ''] = /^\s*(-?)([\w./-]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === '') continue;
    const name = key.replaceAll('/', '.');
    const present = sysctlValue(context.node.state, name);
    if (present === undefined) {
      if (quiet === '-') continue;
      stderr += `sysctl: cannot stat /proc/sys/${name.replaceAll('.', '/')}: No such file or directory\n`;
      continue;
    }
    if (!context.isRoot) {
      stderr += `sysctl: permission denied on key "${name}"\n`;
      continue;
    }
    context.node.state.kernel.sysctl[name] = value;
    stdout += `${name} = ${value}\n`;
  }
  context.node.changed();
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

function settingLines(files: readonly string[], { node }: CommandContext): readonly string[] {
  return files
    .filter((path) => node.root.exists(path))
    .flatMap((path) => node.root.readText(path).split('\n'))
    .filter((line) => line.trim() !== '' && !/^\s*[#;]/.test(line));
}

function sysctl(args: readonly string[], context: CommandContext): Output {
  const parsed = parseArguments(args, new Set());
  if (parsed.has('--system')) {
    const files = context.node.root
      .list('/etc/sysctl.d')
      .filter((name) => name.endsWith('.conf'))
      .map((name) => `/etc/sysctl.d/${name}`);
    const result = setKeys(settingLines([...files, '/etc/sysctl.conf'], context), context);
    return {
      ...result,
      stdout: files.map((file) => `* Applying ${file} ...\n`).join('') + (result.stdout ?? ''),
      exitCode: 0,
    };
  }
  if (parsed.has('-p', '--load')) {
    const files = parsed.operands.length > 0 ? parsed.operands : ['/etc/sysctl.conf'];
    return setKeys(
      settingLines(
        files.map((file) => context.path(file)),
        context,
      ),
      context,
    );
  }
  if (parsed.has('-w', '--write') || parsed.operands.some((operand) => operand.includes('=')))
    return setKeys(parsed.operands, context);
  if (parsed.has('-a', '--all')) {
    const keys = Object.keys(context.node.state.kernel.sysctl).filter(
      (key) => sysctlValue(context.node.state, key) !== undefined,
    );
    return ok(
      keys
        .sort()
        .map((key) => `${key} = ${context.node.state.kernel.sysctl[key]}\n`)
        .join(''),
    );
  }
  let stdout = '';
  for (const operand of parsed.operands) {
    const name = operand.replaceAll('/', '.');
    const value = sysctlValue(context.node.state, name);
    if (value === undefined) {
      return failure(
        255,
        `sysctl: cannot stat /proc/sys/${name.replaceAll('.', '/')}: No such file or directory`,
        stdout,
      );
    }
    stdout += parsed.has('-n', '--values') ? `${value}\n` : `${name} = ${value}\n`;
  }
  return ok(stdout);
}

function swapoff(args: readonly string[], { node, isRoot }: CommandContext): Output {
  if (!isRoot) return failure(2, 'swapoff: Not superuser.');
  const files = args.filter((argument) => !argument.startsWith('-'));
  const all = args.includes('-a') || args.includes('--all');
  const { kernel } = node.state;
  const unknown = files.find((file) => !kernel.swaps.includes(file));
  if (unknown !== undefined) return failure(4, `swapoff: ${unknown}: swapoff failed: Invalid argument`);
  kernel.swaps = all ? [] : kernel.swaps.filter((file) => !files.includes(file));
  node.changed();
  return ok();
}

function swapon(args: readonly string[], { node }: CommandContext): Output {
  const { kernel } = node.state;
  if (args.some((argument) => argument.startsWith('--show') || argument === '-s') || args.length === 0) {
    if (kernel.swaps.length === 0) return ok();
    return ok(`NAME      TYPE SIZE USED PRIO\n${kernel.swaps.map((file) => `${file} file   2G   0B   -2\n`).join('')}`);
  }
  if (args.includes('-a')) kernel.swaps = ['/swap.img'];
  else kernel.swaps.push(...args.filter((argument) => !argument.startsWith('-')));
  node.changed();
  return ok();
}

/** The network interfaces of the machine with their addresses, virtual addresses included. */
function interfaces(node: SimNode): readonly { name: string; addresses: readonly string[]; mac: string }[] {
  const [first] = addressesOf(node);
  const held = virtualAddressesHeldBy(node).map((address) => `${address}/32`);
  const ports = node.state.machine.ports.map(({ address, cidr, mac }, index) => ({
    name: `ens${3 + index}`,
    mac,
    addresses: [`${address}/${cidr.split('/')[1] ?? '24'}`, ...(address === first ? held : [])],
  }));
  const links = node.state.links.map((name) => ({ name, mac: '7e:00:00:00:00:01', addresses: [] }));
  return [{ name: 'lo', mac: '00:00:00:00:00:00', addresses: ['127.0.0.1/8'] }, ...ports, ...links];
}

function ip(args: readonly string[], { node, isRoot }: CommandContext): Output {
  const words = args.filter((argument) => !argument.startsWith('-'));
  const oneLine = args.some((argument) => /^-\w*o/.test(argument) || argument === '-oneline');
  const brief = args.includes('-br') || args.includes('-brief');
  const [object = '', verb = 'show'] = words;
  const device = words.includes('dev') ? words[words.indexOf('dev') + 1] : undefined;
  const all = interfaces(node).filter(({ name }) => device === undefined || name === device);
  if ('address'.startsWith(object) && object !== '') {
    if (device !== undefined && all.length === 0) return failure(1, `Device "${device}" does not exist.`);
    if (brief)
      return ok(
        all.map(({ name, addresses }) => `${name.padEnd(16)} UP             ${addresses.join(' ')}\n`).join(''),
      );
    const lines = all.flatMap(({ name, addresses, mac }, index) => {
      const rows = addresses.map(
        (address) => `inet ${address} ${name === 'lo' ? 'scope host' : 'brd 10.255.255.255 scope global'} ${name}`,
      );
      if (oneLine)
        return rows.map((row) => `${index + 1}: ${name}    ${row}\\       valid_lft forever preferred_lft forever\n`);
      return [
        `${index + 1}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 state UP\n    link/ether ${mac}\n`,
        ...rows.map((row) => `    ${row}\n       valid_lft forever preferred_lft forever\n`),
      ];
    });
    return ok(lines.join(''));
  }
  if ('link'.startsWith(object) && object !== '') {
    if ('delete'.startsWith(verb) && verb.startsWith('del')) {
      const name = words.at(-1) ?? '';
      if (!isRoot) return failure(2, 'RTNETLINK answers: Operation not permitted');
      if (!node.state.links.includes(name)) return failure(1, `Cannot find device "${name}"`);
      node.state.links = node.state.links.filter((other) => other !== name);
      node.changed();
      return ok();
    }
    return ok(
      all
        .map(
          ({ name, mac }, index) =>
            `${index + 1}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 state UP\n    link/ether ${mac}\n`,
        )
        .join(''),
    );
  }
  if ('route'.startsWith(object) && object !== '') {
    const [port] = node.state.machine.ports;
    const gateway = port?.address.replace(/\d+$/, '1') ?? '';
    return ok(
      `default via ${gateway} dev ens3 proto dhcp src ${port?.address ?? ''} metric 100\n${port?.cidr ?? ''} dev ens3 proto kernel scope link src ${port?.address ?? ''}\n`,
    );
  }
  return failure(255, `Object "${object}" is unknown, try "ip help".`);
}

function ss(_: readonly string[], { node }: CommandContext): Output {
  const rows = listeningPorts(node).map(
    ({ port, process }) =>
      `LISTEN 0      4096               *:${port}            *:*    users:(("${process}",pid=1,fd=3))\n`,
  );
  return ok(`State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n${rows.join('')}`);
}

export const KERNEL: CommandTable = {
  modprobe: { run: modprobe },
  lsmod: {
    run: (_, { node }) =>
      ok(
        `Module                  Size  Used by\n${node.state.kernel.modules.map((name) => `${name.padEnd(23)} 32768  0\n`).join('')}`,
      ),
  },
  sysctl: { run: sysctl },
  swapoff: { run: swapoff },
  swapon: { run: swapon },
  ip: { run: ip },
  ss: { run: ss },
  iptables: { run: () => ok() },
  ip6tables: { run: () => ok() },
  ipvsadm: { run: () => ok() },
  dmesg: { run: (_, { node }) => ok(node.state.console) },
  ping: {
    run: (args, { world }) => {
      const host = args.at(-1) ?? '';
      return world.nodeAt(host)
        ? ok(`PING ${host}\n1 packets transmitted, 1 received, 0% packet loss\n`)
        : failure(1, '', `PING ${host}\n1 packets transmitted, 0 received, 100% packet loss\n`);
    },
  },
  free: {
    run: (_, { node }) => {
      const total = node.state.machine.flavor.ramMb * 1024;
      const swap = node.state.kernel.swaps.length > 0 ? 2_097_148 : 0;
      return ok(
        `               total        used        free      shared  buff/cache   available\nMem:        ${String(total).padStart(8)}    ${String(Math.round(total * 0.2)).padStart(8)}    ${String(Math.round(total * 0.5)).padStart(8)}        1024    ${String(Math.round(total * 0.3)).padStart(8)}    ${String(Math.round(total * 0.7)).padStart(8)}\nSwap:       ${String(swap).padStart(8)}           0    ${String(swap).padStart(8)}\n`,
      );
    },
  },
  df: {
    run: (_, { node, world }) => {
      const total = node.state.machine.flavor.diskGb * 1_048_576;
      const used = world.faults.diskFull(node.state) ? total : Math.round(total * 0.2);
      return ok(
        `Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/vda1      ${String(total).padStart(9)} ${String(used).padStart(8)} ${String(total - used).padStart(9)} ${Math.round((used / total) * 100)}% /\n`,
      );
    },
  },
  fuser: { run: () => failure(1, '') },
};
