import { createServer } from 'node:net';

/** Ports that were found free, and are not yet listened on perhaps: not given twice. */
const given = new Set<number>();

/**
 * The wanted port of 127.0.0.1 if nobody listens there, else another one that is free.
 * @param wanted 0: any
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
