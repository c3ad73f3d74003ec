import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { serverOn } from '../../world/images/published-ports.ts';
import type { RegistryRequest } from '../../world/images/registry-server.ts';
import { addressesOf } from '../../world/nodes/node.ts';
import type { SimNode } from '../../world/world.ts';

/** TCP connections that sshd of a machine opens to a port of the machine itself (`direct-tcpip`). */
export interface ForwardedPorts {
  /** Whether something listens there that the simulator can speak for. */
  listens(host: string, port: number): boolean;
  serve(channel: Duplex, port: number): void;
}

/** Registries in containers speak HTTP there, byte for byte. */
export function createForwardedPorts(node: SimNode): ForwardedPorts {
  const ports = new WeakMap<object, number>();
  const server: Server = createServer((request, response) => {
    answer(node, ports.get(request.socket) ?? 0, { request, response }).catch(() => response.destroy());
  });
  return {
    listens: (host, port) =>
      ['127.0.0.1', 'localhost', ...addressesOf(node)].includes(host) && serverOn(node, port, true) !== undefined,
    serve: (channel, port) => {
      const registry = serverOn(node, port, true);
      const { certificate, key } = typeof registry === 'object' ? registry : {};
      const socket =
        certificate === undefined ? channel : new TLSSocket(channel, { isServer: true, cert: certificate, key });
      ports.set(socket, port);
      const off = () => channel.destroy();
      node.power.signal.addEventListener('abort', off, { once: true });
      channel.on('close', () => node.power.signal.removeEventListener('abort', off));
      for (const stream of new Set([channel, socket])) stream.on('error', () => channel.destroy());
      server.emit('connection', socket);
    },
  };
}

async function answer(
  node: SimNode,
  port: number,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const registry = serverOn(node, port, true);
  if (registry === undefined || registry === 'silent') {
    response.destroy();
    return;
  }
  const method = request.method as RegistryRequest['method'];
  const { status, body, headers } = registry.api.answer({
    method,
    path: request.url ?? '/',
    body: Buffer.concat(pieces).toString('latin1'),
    authorization: request.headers.authorization,
  });
  node.save();
  const bytes = Buffer.from(body, 'latin1');
  response.writeHead(status, { 'Content-Length': bytes.length, ...headers });
  response.end(method === 'HEAD' ? undefined : bytes);
}
