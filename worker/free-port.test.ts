import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';

it('gives the wanted port, or another one while the wanted port is in use', async () => {
  const wanted = await freePort(0);
  expect(await freePort(wanted)).toBe(wanted);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  expect(await freePort(wanted)).not.toBe(wanted);
  server.close();
});

it('gives different ports to parts that start at the same time', async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, () => freePort(0)));
  expect(new Set(ports).size).toBe(500);
});
