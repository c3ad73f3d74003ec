import type { CommandTable } from '../shell/command.ts';
import { CILIUM } from './cilium.ts';
import { DOCKER } from './docker.ts';
import { DOWNLOADS } from './downloads.ts';
import { FILES } from './files.ts';
import { IDENTITY } from './identity.ts';
import { KERNEL } from './kernel.ts';
import { KUBEADM } from './kubeadm/kubeadm.ts';
import { KUBECTL } from './kubectl/kubectl.ts';
import { LOAD_BALANCER } from './load-balancer.ts';
import { OPENSSL } from './openssl.ts';
import { PACKAGES } from './packages.ts';
import { PROCESSES } from './processes.ts';
import { RUNTIME } from './runtime.ts';
import { SHELLS } from './shells.ts';
import { SYSTEMD } from './systemd.ts';

/** All commands that the simulator knows besides just-bash's own. They exist on a machine where their executable is. */
export const COMMANDS: CommandTable = {
  ...SHELLS,
  ...PROCESSES,
  ...IDENTITY,
  ...FILES,
  ...SYSTEMD,
  ...KERNEL,
  ...PACKAGES,
  ...DOWNLOADS,
  ...OPENSSL,
  ...RUNTIME,
  ...DOCKER,
  ...LOAD_BALANCER,
  ...KUBEADM,
  ...KUBECTL,
  ...CILIUM,
};
