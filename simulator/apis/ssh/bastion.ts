import { type AddressInfo, createServer } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { createDice } from '../../kernel/dice.ts';
import { type HostKey, SERVER_BASICS } from '../../world/nodes/host-keys.ts';
import { isUp } from '../../world/nodes/node.ts';
import type { SimNode, World } from '../../world/world.ts';
import { createStartups, streamOf } from './limits.ts';
import { createNodeDoor, type NodeDoor } from './node-door.ts';

export interface Bastion {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The number of open sessions. */
  sessions(): number;
  stop(): Promise<void>;
}

/** Finds the machine behind a fixed, floating or virtual IP address. */
export type NodeFinder = (address: string) => SimNode | undefined;

/**
 * Starts an SSH server on loopback that only forwards to virtual addresses, like a bastion host. It needs no
 * authentication, because it listens on 127.0.0.1 and leads to simulated machines only.
 */
export async function startBastion(
  world: World,
  options: { readonly hostKey: HostKey; readonly port: number; readonly nodeAt: NodeFinder },
): Promise<Bastion> {
  const connections = new Set<Connection>();
  const doors = new Map<string, NodeDoor>();
  const startups = createStartups(createDice(world.seed, 'bastion'), () =>
    world.ledger.record({ kind: 'ssh-limit', where: 'bastion', what: 'MaxStartups' }),
  );
  const sshd = new ssh2.Server({ ...SERVER_BASICS, hostKeys: [options.hostKey.private] }, (client) => {
    connections.add(client);
    client.on('ready', () => startups.loggedIn(streamOf(client)));
    client.on('error', () => client.end());
    client.on('close', () => connections.delete(client));
    client.on('authentication', (request) => request.accept());
    client.on('session', (accept) => serveGreeting(accept));
    client.on('tcpip', (accept, reject, info) => {
      const node = options.nodeAt(info.destIP);
      if (!node || info.destPort !== 22 || !isUp(node)) return reject();
      if (world.faults.take('ssh-refused', node.state)) return reject();
      connect(node, accept());
    });
  });
  const connect = (node: SimNode, channel: ServerChannel) => {
    channel.on('error', () => {});
    const end = () => channel.destroy();
    node.power.signal.addEventListener('abort', end, { once: true });
    channel.on('close', () => node.power.signal.removeEventListener('abort', end));
    if (world.faults.take('ssh-hang', node.state)) return;
    const key = `${node.id} ${node.state.hostKey.public}`;
    const door = doors.get(key) ?? createNodeDoor(node);
    doors.set(key, door);
    door.enter(channel);
  };
  // An SSH handshake is many small messages: with Nagle's algorithm each waits 40 ms for an acknowledgement.
  const server = createServer({ noDelay: true }, (socket) => {
    if (startups.admit(socket)) sshd.injectSocket(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    host: '127.0.0.1',
    port,
    user: 'bastion',
    sessions: () => connections.size,
    stop: () =>
      new Promise((resolve) => {
        for (const connection of connections) connection.end();
        server.close(() => resolve());
      }),
  };
}

/** Prints how to use the bastion, for a login to the bastion itself. */
function serveGreeting(accept: () => ssh2.Session): void {
  const session = accept();
  const text = 'This bastion only forwards: ssh -J bastion@127.0.0.1:PORT ubuntu@ADDRESS\r\n';
  const answer = (acceptChannel: () => ServerChannel) => {
    const channel = acceptChannel();
    channel.write(text);
    channel.exit(0);
    channel.end();
  };
  session.on('pty', (acceptPty) => acceptPty?.());
  session.on('shell', answer);
  session.on('exec', answer);
}
