import { staticPodProcesses } from '../cluster/static-pods.ts';
import { servicesRunning } from '../systemd/services.ts';
import type { SimNode } from '../world.ts';

/** A process as `ps` shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly user: string;
  readonly argv: readonly string[];
}

/** Returns all processes of the machine: init, daemons, static pods, and commands of shells. */
export function processesOf(node: SimNode): readonly ProcessRow[] {
  const daemons: ProcessRow[] = [
    { pid: 1, ppid: 0, user: 'root', argv: ['/sbin/init'] },
    { pid: 612, ppid: 1, user: 'root', argv: ['sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups'] },
    { pid: 540, ppid: 1, user: 'syslog', argv: ['/usr/sbin/rsyslogd', '-n', '-iNONE'] },
  ];
  const services = servicesRunning(node).map(({ argv, pid, user }) => ({ pid, ppid: 1, user, argv }));
  const pods = staticPodProcesses(node).map((argv, index) => ({ pid: 900 + index, ppid: 1, user: 'root', argv }));
  const own = [...node.processes.values()].map(({ pid, ppid, user, argv }) => ({ pid, ppid, user, argv }));
  return [...daemons, ...services, ...pods, ...own];
}
