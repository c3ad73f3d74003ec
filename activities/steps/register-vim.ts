import type { StepInput } from '../../domain/operation/activity-contract.ts';
import { VnflowError } from '../../domain/problems.ts';
import { apiServerUrl } from '../../domain/vnf-kinds/kubernetes-cluster/api-server-url.ts';
import type { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import {
  credentialsOf,
  type KubernetesCredentials,
  namespaceNames,
  VIM_ACCOUNT,
  vimAccountManifest,
} from '../../domain/vnf-kinds/kubernetes-cluster/vim-service-account.ts';
import type { SshSession } from '../../ssh/session.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterVim, findClusterVim, putClusterVim } from '../../store/cluster-vims.ts';
import { secretName } from '../../store/secrets.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { pollUntil } from '../attempt/poll.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { instanceOf } from '../facts/operation-facts.ts';
import { onNode, REACH_SECONDS } from '../node/node-session.ts';
import { clusterContextOf } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

const KUBECTL = ['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf'];
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '30'];
const CLUSTER_CA = '/etc/kubernetes/pki/ca.crt';
/** curl with --fail: the server answered, but with 400 or more. */
const CURL_HTTP_ERROR = 22;
const COMMAND_TIMEOUT_MS = 60_000;
/** Kubernetes fills a token in, and accepts it, within a second or two, when its controllers are well. */
const TOKEN_SECONDS = 60;

/**
 * Makes the cluster a VIM under `vim_name`: a service account of its own, its token tried and then sealed in the store. One
 * session to a control-plane node. May run again: the same account and the same VIM, refreshed.
 */
export async function registerVim(step: StepContextOf<'registerVim'>): Promise<undefined> {
  const { deps, input } = step;
  await onNode(deps, input, { limitSeconds: REACH_SECONDS, beat: step }, async ({ session, parameters }) => {
    const name = await vimName(deps, input, parameters);
    const cluster = await clusterContextOf(deps, input);
    const run = commandsOn(session, step);
    await run([...KUBECTL, 'apply', '-f', '-'], vimAccountManifest());
    const access = await usableAccess(run, { endpoint: cluster.endpoint, poll: deps.pace.poll, beat: step });
    const { tenant } = await instanceOf(deps, input);
    const vim = { ...access, name, tenant, authUrl: apiServerUrl(cluster) };
    await writeAsAttempt(deps, (inside) => keepVim(inside, input, vim));
  });
}

/** A cluster that is a VIM already keeps the name that it has. A new one gets the name that its parameters give. */
async function vimName(deps: ActivityDependencies, input: StepInput, { vim_name }: ClusterParameters): Promise<string> {
  const name = (await findClusterVim(deps.db, input.vnfInstanceId))?.name ?? vim_name;
  if (name !== undefined) return name;
  throw new VnflowError('INTERNAL', { detail: 'registerVim is planned, but there is no name for the VIM.' });
}

interface Access {
  readonly credentials: KubernetesCredentials;
  /** What the account sees: proof that its token is accepted. */
  readonly namespaces: readonly string[];
}

/** @throws VnflowError VIM_NAME_TAKEN */
async function keepVim(
  deps: ActivityDependencies,
  input: StepInput,
  { name, tenant, authUrl, credentials, namespaces }: Access & Pick<ClusterVim, 'name' | 'tenant' | 'authUrl'>,
): Promise<void> {
  const id = await putClusterVim(deps.db, {
    vnfInstanceId: input.vnfInstanceId,
    tenant,
    name,
    authUrl,
    authCred: { ...credentials, bearer_token: '***' },
    namespaces,
  });
  if (id === undefined)
    throw new VnflowError('VIM_NAME_TAKEN', {
      detail: `k8s_cluster_installation_param.vim_name: the project has another VIM with the name "${name}".`,
    });
  await deps.secrets.put(secretName.vim(id), credentials, id);
}

/** Waits until the account has a token that the API server accepts. @throws VnflowError VIM_REGISTRATION, NODE_PROTOCOL */
async function usableAccess(
  run: Run,
  { endpoint, poll, beat }: { endpoint: string; poll: ActivityDependencies['pace']['poll']; beat: Beat },
): Promise<Access> {
  return pollUntil({ pause: poll, limitSeconds: TOKEN_SECONDS, signal: beat.signal }, async (isLate) => {
    const credentials = await mintedCredentials(run);
    const namespaces = credentials && (await namespacesSeenBy(run, endpoint, credentials));
    if (credentials && namespaces) return { credentials, namespaces };
    if (isLate())
      throw new VnflowError('VIM_REGISTRATION', {
        detail: `The service account ${VIM_ACCOUNT.namespace}/${VIM_ACCOUNT.name} has no token that the API server accepts after ${TOKEN_SECONDS} s.`,
      });
    beat.say(`waiting for the token of the service account ${VIM_ACCOUNT.name}`);
    return undefined;
  });
}

/** @returns undefined while Kubernetes has not made the token */
async function mintedCredentials(run: Run): Promise<KubernetesCredentials | undefined> {
  const { namespace, name } = VIM_ACCOUNT;
  const { stdout } = await run([...KUBECTL, '--namespace', namespace, 'get', 'secret', name, '-o', 'json']);
  try {
    return credentialsOf(stdout);
  } catch {
    // what cannot be read is not quoted: a token may be in it
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `The Secret ${namespace}/${name} holds no token and CA certificate of a service account.`,
    });
  }
}

/** Asks as a user of the VIM would; the token goes through standard input. @returns undefined when it is refused */
async function namespacesSeenBy(
  run: Run,
  endpoint: string,
  { bearer_token }: KubernetesCredentials,
): Promise<string[] | undefined> {
  const url = `https://${endpoint}/api/v1/namespaces`;
  const words = [...CURL, '--cacert', CLUSTER_CA, '--header', '@-', url];
  const { code, stdout } = await run(words, `Authorization: Bearer ${bearer_token}\n`, [0, CURL_HTTP_ERROR]);
  if (code === CURL_HTTP_ERROR) return undefined;
  try {
    return namespaceNames(stdout);
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', { detail: `${url} gave no list of namespaces.`, cause: error });
  }
}

/** Runs a command as root. @param accepted exit codes that are answers, not failures */
type Run = (
  words: readonly string[],
  stdin?: string,
  accepted?: readonly number[],
) => Promise<{ readonly code: number; readonly stdout: string }>;

function commandsOn(session: SshSession, { signal }: Beat): Run {
  return async (words, stdin = '', accepted = [0]) => {
    const result = await execAsRoot(session, sudoCommand(words), { timeoutMs: COMMAND_TIMEOUT_MS, signal, stdin });
    if (accepted.includes(result.code)) return result;
    throw new VnflowError('VIM_REGISTRATION', {
      detail: `${words.join(' ')} failed on ${session.label}.`,
      seen: result.stderr.slice(-1000),
    });
  };
}
