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

it.each([
  ...['v1', 'v2'].flatMap((version) =>
    ['change_ext_conn', 'change_vnfpkg', 'change_flavour', 'scale_to_level', 'operate'].map((task) => [
      task,
      `/vnflcm/${version}/vnf_instances/00000000-0000-4000-8000-000000000000/${task}`,
    ]),
  ),
  ...['/vnflcm/v1', '/vnflcm/v2', '/vnfpkgm/v1'].flatMap((prefix) => [
    ['subscriptions', `${prefix}/subscriptions`],
    ['subscriptions', `${prefix}/subscriptions/00000000-0000-4000-8000-000000000000`],
  ]),
  ['vnffm', '/vnffm/v1/alarms'],
  ['vnfpm', '/vnfpm/v2/pm_jobs'],
])('says of %s that it is not offered: %s', async (name, path) => {
  for (const method of METHODS) {
    expect(await test.call(method, path)).toMatchObject({
      status: 404,
      json: { code: 'NOT_OFFERED', detail: `vnflow does not offer ${name}.` },
    });
  }
  expect((await test.call('POST', path, { token: null })).status).toBe(401);
});

it('a path that is no resource is not found, whatever the method', async () => {
  for (const method of METHODS) {
    const { status, headers } = await test.call(method, '/vnflcm/v1/nothing');
    expect([status, headers.get('allow')]).toEqual([404, null]);
  }
});
