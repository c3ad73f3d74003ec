/**
 * The simulator's public face: everything that tests, the benchmark and the `vnflow` command use. To start it as a
 * process of its own, run `main.ts`.
 */
export type { Clock } from './kernel/clock.ts';
export { commandSeconds, GUIDE_LATENCY, type LatencyTable } from './kernel/latency.ts';
export type { Ledger, LedgerEntry } from './kernel/ledger.ts';
export { runSimulator, SIMULATOR_HELP } from './run.ts';
export { type Simulator, startSimulator } from './simulator.ts';
export { login, startCloud } from './test/testing/cloud.ts';
export { sshExec, startTestCloud, type TestCloud } from './test/testing/nodes.ts';
export type { ClusterState } from './world/cluster/clusters.ts';
export type { NodeFault } from './world/nodes/fault.ts';
