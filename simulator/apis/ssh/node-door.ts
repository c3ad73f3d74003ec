import { createHash, timingSafeEqual } from 'node:crypto';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';
import { createDice } from '../../kernel/dice.ts';
import { generateHostKey, SERVER_BASICS } from '../../world/nodes/host-keys.ts';
import { homeOf } from '../../world/shell/login.ts';
import type { SimNode } from '../../world/world.ts';
import { createForwardedPorts, type ForwardedPorts } from './forwarded-port.ts';
import { createStartups, MAX_SESSIONS, type Startups, sayOpenFailed, streamOf } from './limits.ts';
import { serveSession } from './session.ts';

/** The sshd of one machine. */
export interface NodeDoor {
  /** Serves a new TCP connection to port 22. */
  enter(channel: ServerChannel): void;
}

export function createNodeDoor(node: SimNode): NodeDoor {
  const startups = createStartups(createDice(node.world.seed, node.id), () => recordLimit(node, 'MaxStartups'));
  const forwarded = createForwardedPorts(node);
  const accept = (client: Connection) => serveClient(node, client, { startups, forwarded });
  const server = new ssh2.Server({ ...SERVER_BASICS, hostKeys: [node.state.hostKey.private] }, accept);
  return {
    enter: (channel) => {
      if (!startups.admit(channel)) return;
      const stranger = node.world.faults.take('host-key', node.state);
      const door = stranger
        ? new ssh2.Server({ ...SERVER_BASICS, hostKeys: [generateHostKey().private] }, accept)
        : server;
      // a channel is a duplex stream, and ssh2 needs no more of a socket
      door.injectSocket(channel as unknown as Parameters<typeof door.injectSocket>[0]);
    },
  };
}

function recordLimit(node: SimNode, what: 'MaxSessions' | 'MaxStartups'): void {
  node.world.ledger.record({ kind: 'ssh-limit', where: node.label(), what, detail: { server: node.id } });
}

interface Door {
  readonly startups: Startups;
  readonly forwarded: ForwardedPorts;
}

function serveClient(node: SimNode, client: Connection, { startups, forwarded }: Door): void {
  const { world } = node;
  sayOpenFailed(client);
  const off = () => client.end();
  node.power.signal.addEventListener('abort', off, { once: true });
  client.on('close', () => node.power.signal.removeEventListener('abort', off));
  client.on('error', () => client.end());
  let user = '';
  client.on('authentication', (request) => {
    if (request.method === 'none') return request.reject(['publickey', 'password']);
    if (!isWelcome(node, request)) {
      if (request.method === 'password') {
        world.ledger.record({
          kind: 'login-refused',
          where: node.label(),
          what: request.username,
          detail: { server: node.id },
        });
      }
      return request.reject(['publickey', 'password']);
    }
    // A client may offer a public key without a signature first; this is no login yet.
    if (request.method === 'publickey' && !request.signature) return request.accept();
    user = request.username;
    const seconds = world.latency.login + (world.faults.take('ssh-slow', node.state)?.seconds ?? 0);
    world.clock
      .sleep(seconds, node.power.signal)
      .then(() => {
        world.ledger.record({
          kind: 'login',
          where: node.label(),
          what: request.username,
          detail: { server: node.id },
        });
        request.accept();
      })
      .catch(() => client.end());
  });
  client.on('ready', () => {
    startups.loggedIn(streamOf(client));
    let sessions = 0;
    client.on('session', (accept, reject) => {
      if (sessions >= MAX_SESSIONS) {
        recordLimit(node, 'MaxSessions');
        return reject();
      }
      sessions += 1;
      const onEnd = () => {
        sessions -= 1;
      };
      serveSession(node, user, { session: accept(), cut: () => streamOf(client).destroy(), onEnd });
    });
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      if (forwarded.listens(destIP, destPort)) forwarded.serve(accept(), destPort);
      else reject();
    });
  });
}

function isWelcome(node: SimNode, request: AuthContext): boolean {
  const account = node.state.users[request.username];
  if (!account) return false;
  if (request.method === 'password') return account.password !== null && sameText(request.password, account.password);
  if (request.method !== 'publickey') return false;
  return authorizedKeys(node, request.username).some((line) => {
    const known = ssh2.utils.parseKey(line);
    if (known instanceof Error || Array.isArray(known)) return false;
    if (!known.getPublicSSH().equals(request.key.data)) return false;
    if (!request.signature || !request.blob) return true;
    return known.verify(request.blob, request.signature, request.hashAlgo) === true;
  });
}

function authorizedKeys(node: SimNode, user: string): readonly string[] {
  const path = `${homeOf(user)}/.ssh/authorized_keys`;
  if (!node.root.exists(path)) return [];
  return node.root
    .readText(path)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

function sameText(left: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}
