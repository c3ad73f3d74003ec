import { PROBLEMS, VnflowError } from '../../domain/problems.ts';
import type { ServerLogin } from '../../domain/vnf-kinds/vnf-kind.ts';
import type { HostKeyPolicy } from '../../ssh/host-key.ts';
import { openSession, type SshSession } from '../../ssh/session.ts';
import { type ClusterNode, findClusterNode } from '../../store/cluster-nodes.ts';
import { traceCall, withoutSpans } from '../../tracing/spans.ts';
import type { ActivityContext, LeasedContext } from '../activity-context.ts';
import { pollUntil } from '../attempt/poll.ts';
import { readKindParameters } from '../facts/kind-parameters.ts';
import { explainUnreached } from './missing-server.ts';
import { bastionHostKey, nodeHostKey } from './node-host-key.ts';

/** The node of an activity, and the session with it. */
export interface NodeAccess {
  readonly node: ClusterNode;
  readonly login: ServerLogin;
  /** The parameters of the kind of VNF, complete. Its steps know their type. */
  readonly parameters: unknown;
  /** The SSH session with the node. */
  readonly session: SshSession;
}

/** The context of work on a node. */
export interface NodeContext extends LeasedContext, NodeAccess {}

interface NodeVisit {
  /** The slot of the node. Default: the slot of the step. */
  readonly slot?: string;
  /** How long the node may be unreachable, in seconds; then the attempt fails. Default: the pace's `reachLimit`. */
  readonly limitSeconds?: number;
  /** True for a server that boots: its limit is the pace's `bootLimit`, and after it no attempt follows by itself. */
  readonly boots?: boolean;
  /** How long the node may refuse the login: cloud-init sets the password some time after sshd is up. */
  readonly authGraceSeconds?: number;
}

/**
 * Opens one session to a node and closes it when `work` ends.
 * @param work gets the context with the access to the node
 * @throws VnflowError NODE_UNREACHABLE, NODE_NEVER_REACHED, SERVER_MISSING, NODE_AUTH, NODE_HOST_KEY
 */
export async function onNode<C extends VisitingContext, T>(
  context: C,
  { slot = context.input.slot ?? '', authGraceSeconds = 0, boots = false, ...visit }: NodeVisit,
  work: (visit: C & NodeAccess) => Promise<T>,
): Promise<T> {
  const { deps, input } = context;
  const { bootLimit, reachLimit } = deps.pace;
  const limitSeconds = boots ? bootLimit : (visit.limitSeconds ?? reachLimit);
  const node = await findClusterNode(deps.db, input.vnfInstanceId, slot);
  if (!node)
    throw new VnflowError('INTERNAL', {
      detail: `No server is bound to ${slot} of VNF instance ${input.vnfInstanceId}.`,
    });
  const { kind, parameters } = await readKindParameters(context);
  const login = kind.loginOf(parameters, node.role);
  const attributes = { 'server.address': node.sshAddress, 'vnflow.node': node.nodeName };
  const session = await traceCall({ name: 'ssh login', kind: 'client', attributes }, () =>
    withoutSpans(() => openWithin(context, { node, login, boots, limitSeconds, authGraceSeconds })),
  );
  try {
    return await work({ ...context, node, login, parameters, session: holdSession(session, context) });
  } finally {
    session.end();
  }
}

interface VisitingContext extends LeasedContext {
  readonly input: LeasedContext['input'] & { readonly slot?: string | undefined };
}

/**
 * Checks before each command and each connection that the attempt still has its lease: an attempt that was overtaken must do nothing more
 * on a node.
 */
function holdSession(session: SshSession, { mustHold }: LeasedContext): SshSession {
  return {
    ...session,
    exec: (command, options) => session.exec(command, { ...options, beforeStart: mustHold }),
    connect: (port, options) => {
      mustHold();
      return session.connect(port, options);
    },
  };
}

interface Target extends Pick<NodeAccess, 'node' | 'login'> {
  readonly boots: boolean;
  readonly limitSeconds: number;
  readonly authGraceSeconds: number;
}

/** Tries to log in until the node answers. The first tries follow quickly. */
async function openWithin(context: LeasedContext, target: Target): Promise<SshSession> {
  const { deps, signal } = context;
  const { node, boots, limitSeconds, authGraceSeconds } = target;
  const keys = await readHostKeys(context, node);
  const since = new Date();
  let loginUntil: number | undefined;
  return pollUntil({ pause: deps.pace.poll, limitSeconds, signal }, async (isLate) => {
    try {
      return await openOnce(context, target, keys);
    } catch (error) {
      if (!(error instanceof VnflowError)) throw error;
      if (error.code === 'NODE_AUTH') {
        loginUntil ??= Date.now() + authGraceSeconds * 1000;
        if (Date.now() > loginUntil) throw error;
      } else if (!PROBLEMS[error.code].retriable) throw error;
      else if (isLate()) {
        // a single try is one of many, or a question that tolerates any failure
        const problem = limitSeconds > 0 ? await explainUnreached(context, node, error) : error;
        throw boots && problem === error ? createNeverReachedProblem(node, limitSeconds, error) : problem;
      }
      context.say(describeWait(node, since, error));
      return undefined;
    }
  });
}

/** The text of one wait changes only with the last answer. */
function describeWait({ nodeName, sshAddress, serverId }: ClusterNode, since: Date, error: VnflowError): string {
  const causes =
    error.code === 'NODE_UNREACHABLE'
      ? ` Usual causes: it still boots (openstack console log show ${serverId}); security group, floating IP, router or bastion.`
      : '';
  return `waiting for ${nodeName} (${sshAddress}) since ${since.toISOString().slice(11, 19)} UTC: ${error.message}${causes}`;
}

function createNeverReachedProblem(
  { nodeName, sshAddress, serverId }: ClusterNode,
  limitSeconds: number,
  last: VnflowError,
): VnflowError {
  return new VnflowError('NODE_NEVER_REACHED', {
    detail: `The new server ${nodeName} (${serverId}) was not reached at ${sshAddress} within ${limitSeconds} s. Last answer: ${last.message}`,
    ...(last.seen === undefined ? {} : { seen: last.seen }),
  });
}

interface HostKeys {
  readonly node: HostKeyPolicy;
  readonly bastion: HostKeyPolicy | undefined;
}

/** Reads the keys once and not with every try to log in: there are many tries while hundreds of servers boot. */
async function readHostKeys(context: ActivityContext, node: ClusterNode): Promise<HostKeys> {
  const { deps } = context;
  return {
    node: await nodeHostKey(context, node),
    bastion: deps.bastion && (await bastionHostKey(deps, deps.bastion)),
  };
}

async function openOnce({ deps, signal }: LeasedContext, { node, login }: Target, keys: HostKeys): Promise<SshSession> {
  return openSession({
    host: node.sshAddress,
    username: login.username,
    auth: login.private_key === undefined ? { password: login.password ?? '' } : { privateKey: login.private_key },
    hostKey: keys.node,
    isUrgent: node.role === 'master', // workers join when a control plane is there
    connectTimeoutMs: deps.pace.connectLimit * 1000,
    signal,
    ...(deps.bastion && keys.bastion ? { bastion: { ...deps.bastion, hostKey: keys.bastion } } : {}),
  });
}
