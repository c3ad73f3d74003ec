import { APT } from './apt/apt.ts';
import { APT_MARK } from './apt/apt-mark.ts';
import { DPKG } from './apt/dpkg.ts';
import { ARCHIVES } from './archives.ts';
import { CHECKSUMS } from './checksums.ts';
import { CILIUM } from './cilium.ts';
import { CURL } from './curl.ts';
import { DISKS } from './disks.ts';
import { DOCKER } from './docker/docker.ts';
import { ETCDUTL } from './etcd-snapshots.ts';
import { FILES } from './files.ts';
import { GPG } from './gpg.ts';
import { IDENTITY } from './identity.ts';
import { KERNEL } from './kernel.ts';
import { KUBEADM } from './kubeadm/kubeadm.ts';
import { KUBECTL } from './kubectl/kubectl.ts';
import { LOAD_BALANCER } from './load-balancer.ts';
import { MACHINE } from './machine.ts';
import { MOUNTS } from './mounts.ts';
import { OPENSSL } from './openssl.ts';
import { PROCESSES } from './processes.ts';
import { RUNTIME } from './runtime.ts';
import type { CommandTable } from './shell/command.ts';
import { SHELLS } from './shells.ts';
import { SYSTEMD } from './systemd/systemd.ts';
import { TAIL } from './tail.ts';
import { TEXT } from './text.ts';

/** All simulated commands besides those of just-bash. A machine has a command when it has the executable. */
export const COMMANDS: CommandTable = {
  ...SHELLS,
  ...PROCESSES,
  ...IDENTITY,
  ...FILES,
  ...SYSTEMD,
  ...KERNEL,
  ...MOUNTS,
  ...DISKS,
  ...OPENSSL,
  ...RUNTIME,
  ...ETCDUTL,
  ...LOAD_BALANCER,
  ...KUBEADM,
  ...KUBECTL,
  ...CILIUM,
  ...APT,
  ...APT_MARK,
  ...DPKG,
  ...GPG,
  ...CURL,
  ...CHECKSUMS,
  ...ARCHIVES,
  ...DOCKER,
  ...MACHINE,
  ...TAIL,
  ...TEXT,
};
