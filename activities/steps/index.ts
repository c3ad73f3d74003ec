import type { StepActivities } from '../../domain/operation/activity-contract.ts';
import type { ActivityKind } from '../../domain/steps/index.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createStepActivity, type StepActivity } from '../step-context.ts';
import { applyStack } from './apply-stack.ts';
import { connectRegistries } from './connect-registries.ts';
import { copyImagesIn } from './copy-images-in.ts';
import { copyImagesOut } from './copy-images-out.ts';
import { deleteStack } from './delete-stack.ts';
import { discover } from './discover.ts';
import { excludeFromLoadBalancers } from './exclude-from-load-balancers.ts';
import { forgetCluster } from './forget-cluster.ts';
import { forgetNodes } from './forget-nodes.ts';
import { growStack } from './grow-stack.ts';
import { includeInLoadBalancers } from './include-in-load-balancers.ts';
import { initControlPlane } from './init-control-plane.ts';
import { installCni } from './install-cni.ts';
import { joinControlPlane } from './join-control-plane.ts';
import { joinWorker } from './join-worker.ts';
import { keepVolumes } from './keep-volumes.ts';
import { labelWorkers } from './label-workers.ts';
import { loadBalancer } from './load-balancer.ts';
import { nameLostImages } from './name-lost-images.ts';
import { prepareNode } from './prepare-node.ts';
import { prepareRegistry } from './prepare-registry.ts';
import { recallNodes } from './recall-nodes.ts';
import { recreateStack } from './recreate-stack.ts';
import { registerVim } from './register-vim.ts';
import { releaseVolume } from './release-volume.ts';
import { removeControlPlane } from './remove-control-plane.ts';
import { removeImageCopies } from './remove-image-copies.ts';
import { removeWorkers } from './remove-workers.ts';
import { replaceServers } from './replace-servers.ts';
import { restoreControlPlane } from './restore-control-plane.ts';
import { restoreRegistries } from './restore-registries.ts';
import { runHook } from './run-hook.ts';
import { runUserData } from './run-user-data.ts';
import { scheduleSnapshots } from './schedule-snapshots.ts';
import { shrinkStack } from './shrink-stack.ts';
import { snapshotEtcd } from './snapshot-etcd.ts';
import { startRegistry } from './start-registry.ts';
import { stopServers } from './stop-servers.ts';
import { verifyCluster } from './verify-cluster.ts';
import { verifyRegistry } from './verify-registry.ts';

/** The activity of each kind of step: one file, one kind. */
const STEPS: { readonly [K in ActivityKind]: StepActivity<K> } = {
  applyStack,
  discover,
  prepareNode,
  initControlPlane,
  loadBalancer,
  joinControlPlane,
  installCni,
  joinWorker,
  verifyCluster,
  labelWorkers,
  growStack,
  registerVim,
  snapshotEtcd,
  stopServers,
  restoreControlPlane,
  recallNodes,
  scheduleSnapshots,
  removeWorkers,
  shrinkStack,
  forgetNodes,
  deleteStack,
  excludeFromLoadBalancers,
  removeControlPlane,
  replaceServers,
  includeInLoadBalancers,
  recreateStack,
  forgetCluster,
  runUserData,
  runHook,
  nameLostImages,
  prepareRegistry,
  startRegistry,
  verifyRegistry,
  connectRegistries,
  restoreRegistries,
  copyImagesOut,
  copyImagesIn,
  removeImageCopies,
  releaseVolume,
  keepVolumes,
};

/** The activities that run steps. */
export function createStepActivities(deps: ActivityDependencies): StepActivities {
  const activityOf = <K extends ActivityKind>(kind: K) => createStepActivity(deps, kind, STEPS[kind]);
  return Object.fromEntries(
    Object.keys(STEPS).map((kind) => [kind, activityOf(kind as ActivityKind)]),
  ) as StepActivities;
}
