import { z } from 'zod';
import type { OperationRef, StepInput } from '../../domain/operation/activity-contract.ts';
import { PROBLEMS, VnflowError } from '../../domain/problems.ts';
import { CLUSTER_PARAMETERS, ClusterParameters } from '../../domain/vnf-kinds/kubernetes-cluster/parameters.ts';
import type { HostKeyPolicy } from '../../ssh/host-key.ts';
import { openSession, type SshSession } from '../../ssh/session.ts';
import { type ClusterNode, findClusterNode } from '../../store/cluster-nodes.ts';
import { secretName } from '../../store/secrets.ts';
import type { Beat } from '../attempt/heartbeating.ts';
import { pollUntil } from '../attempt/poll.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { vnfOfOperation } from '../facts/plan-question.ts';
import { bastionHostKey, nodeHostKey } from './node-host-key.ts';

const CONNECT_TIMEOUT_MS = 15_000;
/** A node that was prepared answers; one that does not for this long is reported and tried again. */
export const REACH_SECONDS = 60;

export interface NodeAccess {
  readonly node: ClusterNode;
  readonly parameters: ClusterParameters;
  readonly session: SshSession;
}

export interface NodeVisit {
  readonly slot?: string;
  readonly limitSeconds: number;
  readonly authGraceSeconds?: number;
  readonly beat: Beat;
}

/**
 * One session to the step's node; closed when `work` ends.
 * @param limitSeconds how long the node may be unreachable (a machine that still boots) before that is a failure
 * @param authGraceSeconds how long it may refuse the login (cloud-init has not set the password yet)
 * @throws VnflowError NODE_UNREACHABLE, NODE_AUTH, NODE_HOST_KEY
 */
export async function onNode<T>(
  deps: ActivityDependencies,
  input: StepInput,
  { slot = input.slot ?? '', limitSeconds, authGraceSeconds = 0, beat }: NodeVisit,
  work: (access: NodeAccess) => Promise<T>,
): Promise<T> {
  const node = await findClusterNode(deps.db, input.vnfInstanceId, slot);
  if (!node)
    throw new VnflowError('INTERNAL', {
      detail: `No server is bound to ${slot} of VNF instance ${input.vnfInstanceId}.`,
    });
  const parameters = await parametersOf(deps, input);
  const session = await openWithin(deps, { input, node, parameters, limitSeconds, authGraceSeconds, beat });
  try {
    return await work({ node, parameters, session: heldSession(session, beat) });
  } finally {
    session.end();
  }
}

/** Nothing more is done on a node by an attempt that may have been overtaken. */
function heldSession(session: SshSession, beat: Beat): SshSession {
  return {
    ...session,
    exec: (command, options) => session.exec(command, { ...options, beforeStart: beat.mustHold }),
  };
}

/** The node parameters of the operation's own request, or else those that the instance was made with. */
async function parametersOf(deps: ActivityDependencies, ref: OperationRef): Promise<ClusterParameters> {
  const asked = Asked.parse((await deps.secrets.get(secretName.operationParams(ref.vnfLcmOpOccId))) ?? {});
  const own = asked.additionalParams?.k8s_cluster_installation_param;
  if (own === undefined) {
    const kept = await deps.secrets.get(secretName.kindParameters(ref.vnfInstanceId, CLUSTER_PARAMETERS.keptAs));
    return ClusterParameters.parse(kept);
  }
  // Only a request that names aspects needs the package, to find their VDUs.
  const complete = ClusterParameters.safeParse(own);
  return complete.data ?? ClusterParameters.parse((await vnfOfOperation(deps, ref)).kept?.parameters);
}

const Asked = z.looseObject({
  additionalParams: z.looseObject({ k8s_cluster_installation_param: z.unknown().optional() }).optional(),
});

export function loginOf({ master_node, worker_node }: ClusterParameters, role: ClusterNode['role']) {
  return role === 'master' ? master_node : worker_node;
}

interface Opening {
  readonly input: StepInput;
  readonly node: ClusterNode;
  readonly parameters: ClusterParameters;
  readonly limitSeconds: number;
  readonly authGraceSeconds: number;
  readonly beat: Beat;
}

/** Tries again, quickly first, while the machine does not answer. */
async function openWithin(deps: ActivityDependencies, opening: Opening): Promise<SshSession> {
  const { node, beat, limitSeconds, authGraceSeconds } = opening;
  const keys = await hostKeys(deps, opening);
  let loginUntil: number | undefined;
  return pollUntil({ pause: deps.pace.poll, limitSeconds, signal: beat.signal }, async (isLate) => {
    try {
      return await open(deps, opening, keys);
    } catch (error) {
      if (!(error instanceof VnflowError)) throw error;
      if (error.code === 'NODE_AUTH') {
        loginUntil ??= Date.now() + authGraceSeconds * 1000;
        if (Date.now() > loginUntil) throw error;
      } else if (!PROBLEMS[error.code].retriable || isLate()) throw error;
      beat.say(`waiting for ${node.nodeName} (${node.sshAddress}): ${error.message}`);
      return undefined;
    }
  });
}

interface HostKeys {
  readonly node: HostKeyPolicy;
  readonly bastion: HostKeyPolicy | undefined;
}

/** Read once, not at each of the many attempts while hundreds of machines boot. */
async function hostKeys(deps: ActivityDependencies, { input, node }: Opening): Promise<HostKeys> {
  return {
    node: await nodeHostKey(deps, input, node),
    bastion: deps.bastion && (await bastionHostKey(deps, deps.bastion)),
  };
}

async function open(
  deps: ActivityDependencies,
  { node, parameters, beat }: Opening,
  keys: HostKeys,
): Promise<SshSession> {
  const login = loginOf(parameters, node.role);
  return openSession({
    host: node.sshAddress,
    username: login.username,
    auth: login.private_key === undefined ? { password: login.password ?? '' } : { privateKey: login.private_key },
    hostKey: keys.node,
    isUrgent: node.role === 'master', // workers join when a control plane is there
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal: beat.signal,
    ...(deps.bastion && keys.bastion ? { bastion: { ...deps.bastion, hostKey: keys.bastion } } : {}),
  });
}
