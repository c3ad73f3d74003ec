import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '{domain,openstack,ssh,store,packages,api,worker,workflows,activities,cli,simulator,test}/**/*.test.ts',
      'setup/**/*.test.mjs',
    ],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
