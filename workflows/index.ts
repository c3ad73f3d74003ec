/** Everything exported here is a workflow type. */
export { clearInstance } from './clear-instance.ts';
export { healVnf } from './heal-vnf.ts';
export { instantiateVnf } from './instantiate-vnf.ts';
export { lookAtCluster } from './look-at-cluster.ts';
export { scaleVnf } from './scale-vnf.ts';
export { snapshotCluster } from './snapshot-cluster.ts';
export { terminateVnf } from './terminate-vnf.ts';
