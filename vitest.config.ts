import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/testing/longest-first.ts';

/** The files of these rooms share processes: loading the modules for each file took longer than most of the tests. */
const SHARED = '{domain,planning,packages,network,openstack,ssh,store,tracing,api,cli,simulator,faults}/**/*.test.ts';
/** These files start workers, which keep state in the process: each file has a process of its own. */
const OWN = '{engine,worker,workflows,activities,test}/**/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // the embedded Postgres is WebAssembly: compiling it a second time, with optimisation, costs more than it gains
    execArgv: ['--liftoff-only'],
    // much of what the tests of the whole system do is waiting for other processes
    maxWorkers: Math.max(2, availableParallelism()) + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Node itself loads and strips the sources, as in production, with its cache of compiled code; nothing is mocked.
    // Through Vite, each file's process asked the main process for each module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      { extends: true, test: { name: 'systems', include: [OWN] } },
      { extends: true, test: { name: 'rooms', include: [SHARED, 'setup/**/*.test.mjs'], isolate: false } },
    ],
  },
});
