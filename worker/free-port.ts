import { createServer } from 'node:net';

/**
 * The wanted port of 127.0.0.1 if nobody listens there, else another one that is free.
 * @param wanted 0: any
 */
export async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await freePort(0));
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
