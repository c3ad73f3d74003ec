import { afterAll, beforeEach } from 'vitest';
import type { ApiDependencies } from '../../../api/dependencies.ts';
import { startTestApi, type TestApi } from './test-api.ts';

/**
 * Starts the API that all tests of a file share. Before each test its engine accepts operations again; after the last
 * one it stops.
 */
export async function startFileApi(overrides: Partial<ApiDependencies> = {}): Promise<TestApi> {
  const test = await startTestApi(overrides);
  beforeEach(() => {
    test.engine.mode = 'accept';
  });
  afterAll(() => test.stop());
  return test;
}
