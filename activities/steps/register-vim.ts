import { VnflowError } from '../../domain/problems.ts';
import { apiServerUrl } from '../../domain/vnf-kinds/kubernetes-cluster/api-server-url.ts';
import { ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import {
  credentialsOf,
  type KubernetesCredentials,
  namespaceNames,
  OLD_VIM_BINDING,
  VIM_ACCOUNT,
  vimAccountManifest,
} from '../../domain/vnf-kinds/kubernetes-cluster/vim-service-account.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { type ClusterVim, findClusterVim, putClusterVim } from '../../store/cluster-vims.ts';
import { secretName } from '../../store/secrets.ts';
import { pollUntil } from '../attempt/poll.ts';
import { writeAsAttempt } from '../attempt/step-attempt.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readInstance } from '../facts/operation-facts.ts';
import { ADMIN } from '../node/kubectl.ts';
import { type NodeContext, onNode } from '../node/node-session.ts';
import { readClusterContext } from '../node/phase.ts';
import type { StepContextOf } from '../step-context.ts';

const KUBECTL = ['kubectl', ...ADMIN];
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '30'];
const CLUSTER_CA = '/etc/kubernetes/pki/ca.crt';
/** The exit code of curl with --fail when the server answered with a status of 400 or more. */
const CURL_HTTP_ERROR = 22;
const COMMAND_TIMEOUT_MS = 60_000;
/** Kubernetes makes the token, and accepts it, within a second or two when its controllers work. */
const TOKEN_SECONDS = 60;

/**
 * Makes the cluster a VIM: creates a service account for it, tries its token, and seals the token in the store. It
 * needs one session to a control-plane node. Another run refreshes the account and the VIM.
 */
export async function registerVim(step: StepContextOf<'registerVim'>): Promise<undefined> {
  await onNode(step, {}, async (node) => {
    const name = await chooseVimName(node);
    const cluster = await readClusterContext(node);
    await runAsRoot(node, [...KUBECTL, 'apply', '-f', '-'], { stdin: vimAccountManifest() });
    await runAsRoot(node, [...KUBECTL, 'delete', 'clusterrolebinding', OLD_VIM_BINDING, '--ignore-not-found']);
    const access = await awaitAccess(node, cluster.endpoint);
    const { tenant } = await readInstance(node);
    const { vnfInstanceId } = step.input;
    const vim = { ...access, vnfInstanceId, name, tenant, authUrl: apiServerUrl(cluster) };
    await writeAsAttempt(step.deps, (inside) => keepVim(inside, vim));
  });
}

/** A cluster that is a VIM already keeps the name that it has. A new one gets the name that its parameters give. */
async function chooseVimName({ deps, input, parameters }: NodeContext): Promise<string> {
  const name =
    (await findClusterVim(deps.db, input.vnfInstanceId))?.name ?? ClusterParameters.parse(parameters).vim_name;
  if (name !== undefined) return name;
  throw new VnflowError('INTERNAL', { detail: 'registerVim is planned, but there is no name for the VIM.' });
}

interface Access {
  readonly credentials: KubernetesCredentials;
  /** The namespaces that the account sees: proof that its token is accepted. */
  readonly namespaces: readonly string[];
}

/** @throws VnflowError VIM_NAME_TAKEN */
async function keepVim(
  { db, secrets }: ActivityDependencies,
  { credentials, ...vim }: Access & Pick<ClusterVim, 'vnfInstanceId' | 'name' | 'tenant' | 'authUrl'>,
): Promise<void> {
  const id = await putClusterVim(db, { ...vim, authCred: { ...credentials, bearer_token: '***' } });
  if (id === undefined)
    throw new VnflowError('VIM_NAME_TAKEN', {
      detail: `k8s_cluster_installation_param.vim_name: the project has another VIM with the name "${vim.name}".`,
    });
  await secrets.put(secretName.vim(id), credentials, id);
}

/**
 * Waits until the account has a token that the API server accepts.
 * @throws VnflowError VIM_REGISTRATION, NODE_PROTOCOL
 */
async function awaitAccess(context: NodeContext, endpoint: string): Promise<Access> {
  const { deps, signal } = context;
  return pollUntil({ pause: deps.pace.poll, limitSeconds: TOKEN_SECONDS, signal }, async (isLate) => {
    const credentials = await readCredentials(context);
    const namespaces = credentials && (await listNamespaces(context, endpoint, credentials));
    if (credentials && namespaces) return { credentials, namespaces };
    if (isLate())
      throw new VnflowError('VIM_REGISTRATION', {
        detail: `The service account ${VIM_ACCOUNT.namespace}/${VIM_ACCOUNT.name} has no token that the API server accepts after ${TOKEN_SECONDS} s.`,
      });
    context.say(`waiting for the token of the service account ${VIM_ACCOUNT.name}`);
    return undefined;
  });
}

/** @returns undefined while Kubernetes has not made the token */
async function readCredentials(context: NodeContext): Promise<KubernetesCredentials | undefined> {
  const { namespace, name } = VIM_ACCOUNT;
  const words = [...KUBECTL, '--namespace', namespace, 'get', 'secret', name, '-o', 'json'];
  const { stdout } = await runAsRoot(context, words);
  try {
    return credentialsOf(stdout);
  } catch {
    // the text is not quoted: it may hold a token
    throw new VnflowError('NODE_PROTOCOL', {
      detail: `The Secret ${namespace}/${name} holds no token and CA certificate of a service account.`,
    });
  }
}

/**
 * Lists namespaces with the token, as a user of the VIM would. The token goes through standard input.
 * @returns undefined when it is refused
 */
async function listNamespaces(
  context: NodeContext,
  endpoint: string,
  { bearer_token }: KubernetesCredentials,
): Promise<string[] | undefined> {
  const url = `https://${endpoint}/api/v1/namespaces`;
  const words = [...CURL, '--cacert', CLUSTER_CA, '--header', '@-', url];
  const stdin = `Authorization: Bearer ${bearer_token}\n`;
  const { code, stdout } = await runAsRoot(context, words, { stdin, accepted: [0, CURL_HTTP_ERROR] });
  if (code === CURL_HTTP_ERROR) return undefined;
  try {
    return namespaceNames(stdout);
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', { detail: `${url} gave no list of namespaces.`, cause: error });
  }
}

interface RunOptions {
  readonly stdin?: string;
  /** Exit codes that are answers, not failures. */
  readonly accepted?: readonly number[];
}

/** Runs a command as root on the node. @throws VnflowError VIM_REGISTRATION when it fails; as `execAsRoot` */
async function runAsRoot(
  { session, signal }: NodeContext,
  words: readonly string[],
  { stdin = '', accepted = [0] }: RunOptions = {},
): Promise<{ readonly code: number; readonly stdout: string }> {
  const result = await execAsRoot(session, sudoCommand(words), { timeoutMs: COMMAND_TIMEOUT_MS, signal, stdin });
  if (accepted.includes(result.code)) return result;
  throw new VnflowError('VIM_REGISTRATION', {
    detail: `${words.join(' ')} failed on ${session.label}.`,
    seen: result.stderr.slice(-1000),
  });
}
