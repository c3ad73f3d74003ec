import { VnflowError } from '../../domain/problems.ts';
import {
  type KubernetesCredentials,
  namespaceNames,
  OLD_VIM_BINDING,
  OLD_VIM_SECRET,
  readVimToken,
  VIM_ACCOUNT,
  VIM_TOKEN_SECONDS,
  type VimToken,
  vimAccountManifest,
} from '../../domain/vnf-kinds/kubernetes-cluster/vim-service-account.ts';
import { execAsRoot, sudoCommand } from '../../ssh/sudo.ts';
import { pollUntil } from '../attempt/poll.ts';
import { ADMIN } from './kubectl.ts';
import type { NodeContext } from './node-session.ts';

const KUBECTL = ['kubectl', ...ADMIN];
const CURL = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '30'];
const CLUSTER_CA = '/etc/kubernetes/pki/ca.crt';
/** The exit code of curl with --fail when the server answered with a status of 400 or more. */
const CURL_HTTP_ERROR = 22;
const COMMAND_TIMEOUT_MS = 60_000;
/** API servers learn of a new account and its role within a second or two. */
const ACCEPTED_SECONDS = 60;

/** What users of a VIM cluster need, and what the store shows of it. */
export interface VimAccess {
  readonly credentials: KubernetesCredentials;
  /** The credentials without secrets, and when they end. */
  readonly authCred: Readonly<Record<string, string>>;
  /** The namespaces that the account sees: proof that its token is accepted. */
  readonly namespaces: readonly string[];
}

/**
 * Makes the service account of a VIM cluster, or mends it, and has the cluster give it a new token, which is tried.
 * Tokens that were given before stay good until they end by themselves.
 * @param endpoint host:port of the API server
 * @throws VnflowError VIM_REGISTRATION, NODE_PROTOCOL
 */
export async function makeVimAccess(context: NodeContext, endpoint: string): Promise<VimAccess> {
  await runAsRoot(context, [...KUBECTL, 'apply', '-f', '-'], { stdin: vimAccountManifest() });
  await runAsRoot(context, [...KUBECTL, 'delete', 'clusterrolebinding', OLD_VIM_BINDING, '--ignore-not-found']);
  const { token, expiresAt } = await createToken(context);
  const { stdout: authority } = await runAsRoot(context, ['cat', CLUSTER_CA]);
  const namespaces = await awaitNamespaces(context, endpoint, token);
  const authCred = {
    bearer_token: '***',
    ssl_ca_cert: authority,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
  return { credentials: { bearer_token: token, ssl_ca_cert: authority }, authCred, namespaces };
}

/**
 * Ends the token that an earlier release made, which never ends by itself. To be called when the store has the new one.
 * @throws VnflowError VIM_REGISTRATION
 */
export async function revokeEndlessToken(context: NodeContext): Promise<void> {
  const words = ['--namespace', VIM_ACCOUNT.namespace, 'delete', 'secret', OLD_VIM_SECRET, '--ignore-not-found'];
  await runAsRoot(context, [...KUBECTL, ...words]);
}

async function createToken(context: NodeContext): Promise<VimToken> {
  const { namespace, name } = VIM_ACCOUNT;
  const words = ['--namespace', namespace, 'create', 'token', name, '--duration', `${VIM_TOKEN_SECONDS}s`];
  const { stdout } = await runAsRoot(context, [...KUBECTL, ...words]);
  try {
    return readVimToken(stdout);
  } catch {
    // the text is not quoted: it may hold a token
    throw new VnflowError('NODE_PROTOCOL', { detail: `kubectl on ${context.session.label} printed no token.` });
  }
}

/**
 * Waits until the API server accepts the token.
 * @returns the namespaces that the account sees
 * @throws VnflowError VIM_REGISTRATION, NODE_PROTOCOL
 */
async function awaitNamespaces(context: NodeContext, endpoint: string, token: string): Promise<string[]> {
  const { deps, signal } = context;
  return pollUntil({ pause: deps.pace.poll, limitSeconds: ACCEPTED_SECONDS, signal }, async (isLate) => {
    const namespaces = await listNamespaces(context, endpoint, token);
    if (namespaces) return namespaces;
    if (isLate())
      throw new VnflowError('VIM_REGISTRATION', {
        detail: `The API server refuses the token of the service account ${VIM_ACCOUNT.namespace}/${VIM_ACCOUNT.name} for ${ACCEPTED_SECONDS} s.`,
      });
    context.say(`waiting until the token of the service account ${VIM_ACCOUNT.name} is accepted`);
    return undefined;
  });
}

/**
 * Lists namespaces with the token, as a user of the VIM would. The token goes through standard input.
 * @returns undefined when it is refused
 */
async function listNamespaces(context: NodeContext, endpoint: string, token: string): Promise<string[] | undefined> {
  const url = `https://${endpoint}/api/v1/namespaces`;
  const words = [...CURL, '--cacert', CLUSTER_CA, '--header', '@-', url];
  const stdin = `Authorization: Bearer ${token}\n`;
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
