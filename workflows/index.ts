/**
 * Everything exported here is a workflow type. All LCM operations run one workflow function under the names that
 * domain/operations.ts gives them: Temporal needs an export for each.
 */
export { clearInstance } from './clear-instance.ts';
export { labelCluster } from './label-cluster.ts';
export { lookAtCluster } from './look-at-cluster.ts';
export { makeKubeconfig } from './make-kubeconfig.ts';
export {
  runOperation as healVnf,
  runOperation as instantiateVnf,
  runOperation as modifyVnfInfo,
  runOperation as scaleVnf,
  runOperation as terminateVnf,
} from './operation.ts';
export { renewVimToken } from './renew-vim-token.ts';
export { snapshotCluster } from './snapshot-cluster.ts';
