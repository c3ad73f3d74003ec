import { expect, it } from 'vitest';
import { startFileApi } from '../test/testing/api/file-api.ts';

const test = await startFileApi();
const { paths } = (await test.call('GET', '/vnflow/v1/openapi.json')).json;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const resources = Object.entries<object>(paths).map(([path, item]) => ({
  path,
  has: METHODS.filter((method) => method.toLowerCase() in item),
}));

it.each(resources)('$path names its methods in Allow when it refuses one', async ({ path, has }) => {
  const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const others = METHODS.filter((method) => !has.includes(method));
  expect(others).not.toEqual([]);
  for (const method of others) {
    const answer = await test.call(method, url);
    expect([url, answer.status]).toEqual([url, 405]);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(has.toSorted());
  }
});

it('refuses OPTIONS and HEAD with 405 and the methods of the resource', async () => {
  const asked = await test.call('OPTIONS', '/vnflcm/v1/vnf_instances');
  expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'POST, GET']);
  const { status, headers } = await test.call('HEAD', '/vnflcm/v2/vnf_instances');
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET']);
});

it('a path that is no resource is not found, whatever the method', async () => {
  for (const method of METHODS) {
    const { status, headers } = await test.call(method, '/vnflcm/v1/nothing');
    expect([status, headers.get('allow')]).toEqual([404, null]);
  }
});
