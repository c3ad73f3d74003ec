import { VnflowError } from '../../domain/problems.ts';
import { findInstanceBecomingVim, findOtherVimNamed } from '../../store/cluster-vims.ts';
import type { ApiContext } from '../dependencies.ts';
import type { InstanceOfPackage } from './usable-package.ts';

/**
 * The name that the cluster gets as a VIM must be free in the project, also of clusters that are just being made.
 * @throws VnflowError VIM_NAME_TAKEN naming the VIM or the instance that has it
 */
export async function checkVimName(
  { db }: ApiContext,
  { id: vnfInstanceId, tenant }: InstanceOfPackage,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  const wanted = { tenant, name, vnfInstanceId };
  const vim = await findOtherVimNamed(db, wanted);
  if (vim) {
    const cluster = vim.vnfInstanceId === null ? '' : `, the cluster of VNF instance ${vim.vnfInstanceId}`;
    throw createNameTakenProblem(
      `the project has a VIM with the name "${name}" already: ${vim.id} (${vim.type}${cluster}).`,
    );
  }
  const other = await findInstanceBecomingVim(db, wanted);
  if (other !== undefined) throw createNameTakenProblem(`VNF instance ${other} is becoming the VIM "${name}".`);
}

function createNameTakenProblem(sentence: string): VnflowError {
  return new VnflowError('VIM_NAME_TAKEN', {
    detail: `additionalParams.k8s_cluster_installation_param.vim_name: ${sentence}`,
  });
}
