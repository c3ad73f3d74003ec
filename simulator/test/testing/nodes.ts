import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh2 from 'ssh2';
import { Clock } from '../../kernel/clock.ts';
import { GUIDE_LATENCY } from '../../kernel/latency.ts';
import { createLedger, type LedgerEntry } from '../../kernel/ledger.ts';
import type { Machine } from '../../kernel/machine.ts';
import { createPersistence } from '../../kernel/persistence.ts';
import { createNodes, type Nodes } from '../../nodes.ts';

/** The node half with a bare network: machines have the addresses of their ports and the floating IPs of `floating`. */
export interface TestCloud {
  readonly nodes: Nodes;
  readonly floating: Map<string, string>;
  /** The clock of this run; `restart` replaces it. */
  readonly clock: Clock;
  entries(): readonly LedgerEntry[];
  /** Creates a machine with one port at this address. */
  machine(name: string, address: string, more?: Partial<Machine>): Machine;
  /** Runs a command as `ubuntu` through the bastion. */
  ssh(address: string, command: string, options?: SshOptions): Promise<SshResult>;
  /** Stops this simulator and starts another one with its state, `later` simulated seconds later. */
  restart(later?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface SshOptions {
  readonly user?: string;
  readonly password?: string;
  readonly stdin?: string;
  /** Leaves standard input open, as some clients do. */
  readonly openInput?: boolean;
  readonly hostKey?: (key: Buffer) => void;
}

export interface SshResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export async function startTestCloud(speed = 2000): Promise<TestCloud> {
  const directory = mkdtempSync(path.join(tmpdir(), 'vnflow-nodes-'));
  const floating = new Map<string, string>();
  const machines = new Map<string, Machine>();
  let elapsed = 0;
  const start = async () => {
    const clock = new Clock(speed, elapsed);
    const ledger = createLedger(() => clock.elapsed(), directory);
    const persistence = createPersistence(directory);
    const network = {
      machineAt: (address: string) => {
        const fixed = floating.get(address) ?? address;
        return [...machines.values()].find(({ ports }) => ports.some((port) => port.address === fixed))?.id;
      },
      fixedAddressOf: (address: string) => floating.get(address),
    };
    const nodes = await createNodes({ clock, ledger, persistence, latency: GUIDE_LATENCY, network });
    return { clock, ledger, persistence, nodes };
  };
  let world = await start();
  const cloud: TestCloud = {
    get nodes() {
      return world.nodes;
    },
    floating,
    get clock() {
      return world.clock;
    },
    entries: () => world.ledger.entries(),
    machine: (name, address, more = {}) => {
      const machine: Machine = {
        id: `server-${name}`,
        name,
        imageName: 'ubuntu-22.04',
        flavor: { vcpus: 2, ramMb: 4096, diskGb: 20 },
        host: 'compute-1',
        ports: [{ portId: `port-${name}`, mac: 'fa:16:3e:00:00:01', address, cidr: '10.10.0.0/24' }],
        ...more,
      };
      machines.set(machine.id, machine);
      world.nodes.hypervisor.create(machine);
      return machine;
    },
    ssh: (address, command, options) => untilBooted(() => sshExec(world.nodes, address, { command, ...options })),
    restart: async (later = 0) => {
      elapsed = world.clock.elapsed() + later;
      await world.nodes.stop();
      world.persistence.flushAll();
      world = await start();
    },
    stop: async () => {
      await world.nodes.stop();
      world.persistence.flushAll();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return cloud;
}

/** A machine boots for 40 simulated seconds: two real seconds in the slowest world of the tests. */
const BOOT_LIMIT_MS = 30_000;

/** Repeats an attempt that fails because the machine still boots. */
async function untilBooted<T>(attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + BOOT_LIMIT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end || !(error instanceof Error) || !error.message.includes('Channel open failure')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Runs one command over SSH like the real client: bastion, direct-tcpip, login, exec. */
export async function sshExec(
  nodes: Nodes,
  address: string,
  {
    command,
    user = 'ubuntu',
    password = 'ubuntu',
    stdin,
    openInput,
    hostKey,
  }: SshOptions & { readonly command: string },
): Promise<SshResult> {
  const bastion = new ssh2.Client();
  const inner = new ssh2.Client();
  try {
    await connected(bastion, { host: nodes.bastion.host, port: nodes.bastion.port, username: nodes.bastion.user });
    const sock = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      bastion.forwardOut('127.0.0.1', 0, address, 22, (error, channel) => (error ? reject(error) : resolve(channel))),
    );
    await connected(inner, {
      sock,
      username: user,
      password,
      hostVerifier: (key: Buffer) => {
        hostKey?.(key);
        return true;
      },
    });
    return await new Promise<SshResult>((resolve, reject) =>
      inner.exec(command, (error, channel) => {
        if (error) return reject(error);
        let stdout = '';
        let stderr = '';
        let code: number | undefined;
        channel.on('data', (chunk: Buffer) => {
          stdout += chunk.toString();
        });
        channel.stderr.on('data', (chunk: Buffer) => {
          stderr += chunk.toString();
        });
        channel.on('exit', (exit: number | null) => {
          code = exit ?? undefined;
        });
        channel.on('close', () => resolve({ code, stdout, stderr }));
        if (!openInput) channel.end(stdin ?? '');
      }),
    );
  } finally {
    inner.end();
    bastion.end();
  }
}

function connected(client: ssh2.Client, config: ssh2.ConnectConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('connection closed')));
    client.on('ready', () => resolve());
    client.connect(config);
    if (!config.sock) client.setNoDelay(true);
  });
}
