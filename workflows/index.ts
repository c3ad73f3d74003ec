/** Everything exported here is a workflow type. */
export { instantiateVnf } from './instantiate-vnf.ts';
export { terminateVnf } from './terminate-vnf.ts';
