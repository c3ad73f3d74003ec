import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { givenOperation } from '../../test/testing/api/given.ts';
import { startTestApi, type TestApi } from '../../test/testing/api/test-api.ts';
import { createStoreMetrics } from './store-metrics.ts';

let engineProblem: string | undefined;
let test: TestApi;

beforeAll(async () => {
  const look = async () => {
    if (engineProblem === 'hang') await new Promise(() => {});
    if (engineProblem !== undefined) throw new Error(engineProblem);
  };
  test = await startTestApi({
    checks: [{ name: 'workers', look }],
    metrics: [
      () => createStoreMetrics(test.db)(),
      async () => 'temporal_long_request 1',
      () => Promise.reject(new Error()),
    ],
  });
});
afterAll(() => test.stop());

const get = async (path: string) => {
  const answer = await fetch(`${test.api.url}${path}`);
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
};

describe('health', () => {
  it.each(['hang', 'No worker takes steps.'])('is not ready when a check says: %s', async (problem) => {
    engineProblem = problem;
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // a result is kept for a second
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      status: 'not ready',
      checks: [
        { name: 'store', ok: true },
        { name: 'workers', ok: false, problem: problem === 'hang' ? 'no answer within 2 s' : problem },
      ],
    });
    expect((await get('/livez')).status).toBe(200);
    const health = await get('/vnflow/v1/health');
    expect([health.status, JSON.parse(health.text).status]).toEqual([200, 'degraded']);
  });

  it('is ready when nothing is missing', async () => {
    engineProblem = undefined;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await get('/readyz')).toMatchObject({
      status: 200,
      text: '{"status":"ready","checks":[{"name":"store","ok":true},{"name":"workers","ok":true}]}',
    });
    expect((await fetch(`${test.api.url}/readyz`, { method: 'POST' })).status).toBe(405);
  });
});

describe('metrics', () => {
  it('count operations by state, and requests by the pattern of their route', async () => {
    const { id } = await givenOperation(test);
    await test.call('GET', `/vnflcm/v2/vnf_instances/${id}`);
    const { status, type, text } = await get('/metrics');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('vnflow_operations{operation="INSTANTIATE",state="STARTING"} 1\n');
    expect(text).toMatch(/vnflow_operation_oldest_age_seconds\{operation="INSTANTIATE",state="STARTING"\} \d/);
    expect(text).toMatch(/vnflow_vnf_instances\{vnfd_id="[^"]+",state="NOT_INSTANTIATED"\} 1\n/);
    // other test files of this process may have sent such requests, too
    expect(text).toMatch(
      /vnflow_http_request_duration_seconds_count\{method="GET",route="\/vnflcm\/v2\/vnf_instances\/:id",status="200"\} [1-9]/,
    );
    expect(text).not.toContain(id);
    expect(text).toContain('\ntemporal_long_request 1\n');
  });

  it('are not served when the API has none', async () => {
    const other = await startTestApi();
    const { status } = await other.call('GET', '/metrics');
    await other.stop();
    expect(status).toBe(404);
  });

  it.each(['alert-rules.yml', 'grafana-dashboard.json'])('have every name that %s uses', async (file) => {
    const text = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');
    parse(text);
    const used = [...text.matchAll(/\bvnflow_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));
    const { text: metrics } = await get('/metrics');
    expect(used.length).toBeGreaterThan(5);
    for (const name of new Set(used)) expect(metrics).toContain(`# TYPE ${name} `);
  });
});
