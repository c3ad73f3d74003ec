import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '{domain,openstack,ssh,store,packages,planning,api,engine,worker,workflows,activities,cli,simulator,test,faults}/**/*.test.ts',
      'setup/**/*.test.mjs',
    ],
    pool: 'forks',
    // the embedded Postgres is WebAssembly: compiling it a second time, with optimisation, costs more than it gains
    execArgv: ['--liftoff-only'],
    // much of what the tests of the whole system do is waiting for other processes
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
