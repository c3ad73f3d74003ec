import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createVnfm } from './client.ts';
import { connectionFrom, simulatorUser } from './connection.ts';
import { keystoneToken } from './keystone-token.ts';
import { controlOpOcc, controlStep, listOpOccs, registryCaOf } from './operations.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Keystone that gives the tokens t1, t2, … */
async function keystone(): Promise<string> {
  let count = 0;
  return serve((_request, response) => {
    count += 1;
    response.writeHead(201, { 'X-Subject-Token': `t${count}` }).end('{}');
  });
}

describe('the client of the API', () => {
  it('gets a new token when the old one has expired', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers['x-auth-token']);
      response.writeHead(request.headers['x-auth-token'] === 't2' ? 200 : 401).end('[]');
    });
    const vnfm = createVnfm({ url, identity: { user: simulatorUser(`${await keystone()}/v3`) } });
    expect(await listOpOccs(vnfm)).toEqual([]);
    expect(seen).toEqual(['t1', 't2']);
  });

  it('shows a refusal of the API with its detail, code and remedy', async () => {
    const problem = { status: 409, title: 'Conflict', detail: 'It runs.', code: 'VNF_BUSY', remedy: 'Wait.' };
    const url = await serve((_request, response) => response.writeHead(409).end(JSON.stringify(problem)));
    const asked = listOpOccs(createVnfm({ url, identity: { token: 't' } }));
    await expect(asked).rejects.toThrow('VNF_BUSY: It runs.\n  What to do: Wait.');
  });

  it('sends controls of operations and of steps, with escaped ids', async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${body}`);
        response.end(JSON.stringify({ id: 's', kind: 'k', summary: 's', state: 'SKIPPED', attempt: 1 }));
      });
    });
    const vnfm = createVnfm({ url, identity: { token: 't' } });
    await controlOpOcc(vnfm, 'op', 'retry');
    await controlOpOcc(vnfm, 'op', { cancelMode: 'FORCEFUL' });
    await controlStep(vnfm, { opOccId: 'op', stepId: 'join/../x' }, 'pause');
    expect((await controlStep(vnfm, { opOccId: 'op', stepId: 's' }, { reason: 'by hand' })).state).toBe('SKIPPED');
    expect(asked).toEqual([
      'POST /vnflcm/v2/vnf_lcm_op_occs/op/retry ',
      'POST /vnflcm/v2/vnf_lcm_op_occs/op/cancel {"cancelMode":"FORCEFUL"}',
      'POST /vnflow/v1/vnf_lcm_op_occs/op/steps/join%2F..%2Fx/pause ',
      'POST /vnflow/v1/vnf_lcm_op_occs/op/steps/s/skip {"reason":"by hand"}',
    ]);
  });

  it('reads the CA of a registry', async () => {
    const asked: (string | undefined)[] = [];
    const ca = { certificate: 'PEM', fingerprint256: 'AA:BB', validUntil: '2036-11-22T00:00:00.000Z' };
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.end(JSON.stringify(ca));
    });
    expect(await registryCaOf(createVnfm({ url, identity: { token: 't' } }), 'a/b')).toEqual(ca);
    expect(asked).toEqual(['/vnflow/v1/vnf_instances/a%2Fb/registry/ca']);
  });

  it('reports when no server answers, or a server that is not vnflow', async () => {
    const identity = { token: 'secret-token' };
    await expect(listOpOccs(createVnfm({ url: 'http://127.0.0.1:1', identity }))).rejects.toThrow(
      /^vnflow at http:\/\/127.0.0.1:1 does not answer \(ECONNREFUSED\)/,
    );
    const url = await serve((_request, response) => response.end('<html>'));
    await expect(listOpOccs(createVnfm({ url, identity }))).rejects.toThrow(/cannot read/);
  });
});

describe('the connection of the CLI', () => {
  const nowhere = '/nonexistent';

  it('is VNFM_URL with the user of OS_*, or with VNFM_TOKEN alone', () => {
    const openstack = { OS_AUTH_URL: 'http://k/v3', OS_USERNAME: 'u', OS_PASSWORD: 'p', OS_PROJECT_NAME: 'n' };
    expect(connectionFrom({ VNFM_URL: 'http://v', VNFM_TOKEN: 't', ...openstack }, nowhere)).toMatchObject({
      url: 'http://v',
      identity: { user: { username: 'u', userDomain: 'Default' } },
    });
    expect(connectionFrom({ VNFM_URL: 'http://v', VNFM_TOKEN: 't' }, nowhere).identity).toEqual({ token: 't' });
  });

  it('names what is missing', () => {
    expect(() => connectionFrom({}, nowhere)).toThrow(/vnflow is not up on \/nonexistent/);
    expect(() => connectionFrom({ VNFM_URL: 'http://v', OS_AUTH_URL: 'http://k' }, nowhere)).toThrow(
      /OS_USERNAME is not set/,
    );
  });
});

it('does not show the password in the error of a failed login', async () => {
  const url = await serve((_request, response) =>
    response
      .writeHead(401)
      .end(JSON.stringify({ error: { message: 'The request you have made requires authentication.' } })),
  );
  for (const authUrl of [`${url}/identity/v3`, 'http://127.0.0.1:1/v3']) {
    const failure: unknown = await keystoneToken({ ...simulatorUser(authUrl), password: 'canary' }).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toMatch(/requires authentication|ECONNREFUSED/);
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain('canary');
  }
});
