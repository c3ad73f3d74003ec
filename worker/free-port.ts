import { createServer } from 'node:net';

/**
 * Ports that were given out already. Their new owners may not listen yet, so these ports are not given out a second
 * time.
 */
const given = new Set<number>();

/**
 * Finds a free port of 127.0.0.1: the wanted port if no process listens there, else another one.
 * @param wanted 0 means any port
 */
export async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; ; port = 0) {
    const free = await tryPort(port);
    if (free === undefined || (port === 0 && given.has(free))) continue;
    given.add(free);
    return free;
  }
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
