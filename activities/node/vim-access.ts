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
/** The last line of the output is the HTTP status. */
const CURL = [
  'curl',
  '--silent',
  '--show-error',
  '--noproxy',
  '*',
  '--max-time',
  '30',
  '--write-out',
  '\\n%{http_code}',
];
const CLUSTER_CA = '/etc/kubernetes/pki/ca.crt';
const FORBIDDEN = 403;
const COMMAND_TIMEOUT_MS = 60_000;
/** API servers learn of a new account and its role within a second or two. */
const ACCEPTED_SECONDS = 60;
/** API servers follow a new role within a second or two. An authorizer of another kind never does. */
const ROLE_SECONDS = 10;

/** What users of a VIM cluster need, and what the store shows of it. */
export interface VimAccess {
  readonly credentials: KubernetesCredentials;
  /** The credentials without secrets, and when they end. */
  readonly authCred: Readonly<Record<string, string>>;
  /** The namespaces of the cluster. */
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
 * Waits until the API server accepts the token. A cluster whose authorizer does not follow the role is a VIM
 * nevertheless: its administrator decides what the account may do.
 * @returns the namespaces
 * @throws VnflowError VIM_REGISTRATION, NODE_PROTOCOL
 */
async function awaitNamespaces(context: NodeContext, endpoint: string, token: string): Promise<string[]> {
  const { deps, signal } = context;
  const roleUntil = Date.now() + ROLE_SECONDS * 1000;
  return pollUntil({ pause: deps.pace.poll, limitSeconds: ACCEPTED_SECONDS, signal }, async (isLate) => {
    const seen = await listNamespaces(context, endpoint, token);
    if (Array.isArray(seen)) return seen;
    if (seen === FORBIDDEN && Date.now() > roleUntil) {
      const { vnfInstanceId } = context.input;
      deps.log.warn(
        { vnfInstanceId },
        'the cluster accepts the token of its VIM account, and does not follow its role',
      );
      return namespaceNames((await runAsRoot(context, [...KUBECTL, 'get', 'namespaces', '--output', 'json'])).stdout);
    }
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
 * @returns the HTTP status when it is not 200
 */
async function listNamespaces(context: NodeContext, endpoint: string, token: string): Promise<string[] | number> {
  const url = `https://${endpoint}/api/v1/namespaces`;
  const words = [...CURL, '--cacert', CLUSTER_CA, '--header', '@-', url];
  const stdin = `Authorization: Bearer ${token}\n`;
  const { stdout } = await runAsRoot(context, words, { stdin });
  const end = stdout.lastIndexOf('\n');
  const status = Number(stdout.slice(end + 1));
  if (status !== 200) return status;
  try {
    return namespaceNames(stdout.slice(0, end));
  } catch (error) {
    throw new VnflowError('NODE_PROTOCOL', { detail: `${url} gave no list of namespaces.`, cause: error });
  }
}

/** Runs a command as root on the node. @throws VnflowError VIM_REGISTRATION when it fails; as `execAsRoot` */
async function runAsRoot(
  { session, signal }: NodeContext,
  words: readonly string[],
  { stdin = '' }: { readonly stdin?: string } = {},
): Promise<{ readonly stdout: string }> {
  const result = await execAsRoot(session, sudoCommand(words), { timeoutMs: COMMAND_TIMEOUT_MS, signal, stdin });
  if (result.code === 0) return result;
  throw new VnflowError('VIM_REGISTRATION', {
    detail: `${words.join(' ')} failed on ${session.label}.`,
    seen: result.stderr.slice(-1000),
  });
}
