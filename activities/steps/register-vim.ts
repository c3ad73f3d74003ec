import { VnflowError } from '../../domain/problems.ts';
import { apiServerUrl } from '../../domain/vnf-kinds/kubernetes-cluster/api-server-url.ts';
import { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import { VIM_TOKEN_RENEWAL_SECONDS } from '../../domain/vnf-kinds/kubernetes-cluster/vim-service-account.ts';
import { type ClusterVim, findClusterVim, putClusterVim } from '../../store/cluster-vims.ts';
import { secretName } from '../../store/secrets.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { type NodeContext, onNode } from '../node/node-session.ts';
import { readClusterContext } from '../node/phase.ts';
import { makeVimAccess, revokeEndlessToken, type VimAccess } from '../node/vim-access.ts';
import { createSchedule } from '../schedules.ts';
import type { StepContextOf } from '../step-context.ts';

/**
 * Makes the cluster a VIM: creates a service account for it, tries its token, seals the token in the store, and renews
 * it regularly from now on. It needs one session to a control-plane node. Another run refreshes the account and the VIM.
 */
export async function registerVim(step: StepContextOf<'registerVim'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    const name = await chooseVimName(node);
    const cluster = await readClusterContext(node);
    const access = await makeVimAccess(node, cluster.endpoint);
    const { tenant } = await readInstance(node);
    const { vnfInstanceId } = step.input;
    const vim = { vnfInstanceId, name, tenant, authUrl: apiServerUrl(cluster) };
    await writeAsAttempt(step.deps, async (inside) => {
      await keepVim(inside, vim, access);
      await createSchedule('vim-tokens', vnfInstanceId, VIM_TOKEN_RENEWAL_SECONDS);
    });
    await revokeEndlessToken(node);
  });
}

/** A cluster that is a VIM already keeps the name that it has. A new one gets the name that its parameters give. */
async function chooseVimName({ deps, input, parameters }: NodeContext): Promise<string> {
  const name =
    (await findClusterVim(deps.db, input.vnfInstanceId))?.name ?? ClusterParameters.parse(parameters).vim_name;
  if (name !== undefined) return name;
  throw new VnflowError('INTERNAL', { detail: 'registerVim is planned, but there is no name for the VIM.' });
}

/** @throws VnflowError VIM_NAME_TAKEN */
async function keepVim(
  { db, secrets }: ActivityDependencies,
  vim: Pick<ClusterVim, 'vnfInstanceId' | 'name' | 'tenant' | 'authUrl'>,
  { credentials, authCred, namespaces }: VimAccess,
): Promise<void> {
  const id = await putClusterVim(db, { ...vim, authCred, namespaces });
  if (id === undefined)
    throw new VnflowError('VIM_NAME_TAKEN', {
      detail: `k8s_cluster_installation_param.vim_name: the project has another VIM with the name "${vim.name}".`,
    });
  await secrets.put(secretName.vim(id), credentials, id);
}
