import { randomBytes, randomUUID } from 'node:crypto';
import type { NodeState } from '../nodes/node-state.ts';
import type { DynamicFile } from './tree.ts';

/** Returns the value of a sysctl key. Undefined when the kernel has no such key: bridge keys need br_netfilter. */
export function sysctlValue(state: NodeState, key: string): string | undefined {
  if (key.startsWith('net.bridge.') && !state.kernel.modules.includes('br_netfilter')) return undefined;
  return state.kernel.sysctl[key];
}

export const DEFAULT_SYSCTL: Readonly<Record<string, string>> = {
  'net.ipv4.ip_forward': '0',
  'net.ipv6.conf.all.forwarding': '0',
  'net.bridge.bridge-nf-call-iptables': '0',
  'net.bridge.bridge-nf-call-ip6tables': '0',
  'net.ipv4.ip_nonlocal_bind': '0',
  'vm.swappiness': '60',
  'vm.overcommit_memory': '0',
  'kernel.panic': '0',
  'kernel.panic_on_oops': '0',
  'fs.inotify.max_user_watches': '61920',
  'fs.inotify.max_user_instances': '128',
};

/** Makes the files of /proc, /sys and /dev. @param changed called when a file of /proc/sys was written */
export function dynamicFiles(
  state: NodeState,
  { uptime, changed }: { readonly uptime: () => number; readonly changed: () => void },
): ReadonlyMap<string, DynamicFile> {
  const files = new Map<string, DynamicFile>();
  const { vcpus, ramMb } = state.machine.flavor;
  const fixed = (path: string, text: string) => files.set(path, { read: () => text });
  for (const key of Object.keys(DEFAULT_SYSCTL)) {
    files.set(`/proc/sys/${key.replaceAll('.', '/')}`, {
      read: () => {
        const value = sysctlValue(state, key);
        return value === undefined ? undefined : `${value}\n`;
      },
      write: (bytes) => {
        state.kernel.sysctl[key] = bytes.trim();
        changed();
      },
    });
  }
  files.set('/proc/swaps', {
    read: () =>
      `Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n${state.kernel.swaps
        .map((file) => `${file}                               file\t\t2097148\t\t0\t\t-2\n`)
        .join('')}`,
  });
  files.set('/proc/modules', {
    read: () => state.kernel.modules.map((name) => `${name} 32768 0 - Live 0x0000000000000000\n`).join(''),
  });
  files.set('/proc/uptime', { read: () => `${uptime().toFixed(2)} ${(uptime() * vcpus * 0.9).toFixed(2)}\n` });
  files.set('/proc/sys/kernel/random/boot_id', { read: () => `${state.bootId}\n` });
  files.set('/proc/sys/kernel/random/uuid', { read: () => `${randomUUID()}\n` });
  files.set('/proc/sys/kernel/hostname', { read: () => `${state.hostname}\n` });
  fixed('/proc/loadavg', '0.08 0.03 0.01 1/180 1234\n');
  fixed(
    '/proc/cmdline',
    'BOOT_IMAGE=/vmlinuz-5.15.0-101-generic root=LABEL=cloudimg-rootfs ro console=tty1 console=ttyS0\n',
  );
  fixed('/proc/version', 'Linux version 5.15.0-101-generic (buildd@lcy02-amd64-032) #111-Ubuntu SMP\n');
  files.set('/proc/mounts', {
    read: () => {
      const letterOf = (id: string) => String.fromCharCode('b'.charCodeAt(0) + (state.disks ?? []).indexOf(id));
      const volumes = Object.entries(state.volumeMounts ?? {}).map(
        ([at, id]) => `/dev/vd${letterOf(id)} ${at} ext4 rw,relatime 0 0\n`,
      );
      return `/dev/vda1 / ext4 rw,relatime,discard,errors=remount-ro 0 0\ntmpfs /run tmpfs rw 0 0\n${volumes.join('')}`;
    },
  });
  fixed('/proc/filesystems', 'nodev\tsysfs\nnodev\ttmpfs\nnodev\toverlay\n\text4\n');
  fixed(
    '/proc/meminfo',
    `MemTotal:       ${String(ramMb * 1024).padStart(8)} kB\nMemFree:        ${String(ramMb * 512).padStart(8)} kB\nMemAvailable:   ${String(ramMb * 800).padStart(8)} kB\n`,
  );
  fixed(
    '/proc/cpuinfo',
    Array.from(
      { length: vcpus },
      (_, index) => `processor\t: ${index}\nmodel name\t: QEMU Virtual CPU version 2.5+\n`,
    ).join('\n'),
  );
  fixed('/sys/class/dmi/id/product_uuid', `${state.machine.id}\n`);
  fixed('/etc/machine-id', `${state.machineId}\n`);
  files.set('/dev/null', { read: () => '', write: () => {} });
  files.set('/dev/full', { read: () => '', write: () => {} });
  files.set('/dev/urandom', { read: () => randomBytes(256).toString('latin1') });
  files.set('/dev/random', { read: () => randomBytes(256).toString('latin1') });
  return files;
}
