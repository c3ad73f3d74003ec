import { createHash } from 'node:crypto';
import type { AccessActivities, AccessRequest } from '../domain/operation/activity-contract.ts';
import { VnflowError } from '../domain/problems.ts';
import { apiServerUrl } from '../domain/vnf-kinds/kubernetes-cluster/api-server-url.ts';
import {
  type AccessAccount,
  accessAccount,
  accessKubeconfig,
  accessManifest,
  readTokenRequest,
} from '../domain/vnf-kinds/kubernetes-cluster/cluster-access.ts';
import { execAsRoot, sudoCommand } from '../ssh/sudo.ts';
import { findNewestFact, newestOperation } from '../store/operations.ts';
import { secretName } from '../store/secrets.ts';
import { findVnfInstance } from '../store/vnf-instances.ts';
import { heartbeating } from './attempt/heartbeating.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { onControlPlane } from './node/control-plane.ts';
import { ADMIN, kubectl } from './node/kubectl.ts';
import type { NodeContext } from './node/node-session.ts';

/** How long the control plane is tried: a person waits for the answer. */
const REACH_SECONDS = 5;
const TIMEOUT_MS = 30_000;
const CLUSTER_CA = '/etc/kubernetes/pki/ca.crt';

/** Makes the activity that has a cluster give a user a token that ends. */
export function createAccessActivity(deps: ActivityDependencies): AccessActivities {
  return {
    makeKubeconfig: (request) =>
      heartbeating(async (lease) => {
        const { vnfInstanceId, requestId, user, role } = request;
        const [instance, last, cluster] = await Promise.all([
          findVnfInstance(deps.db, vnfInstanceId),
          newestOperation(deps.db, vnfInstanceId),
          findNewestFact(deps.db, vnfInstanceId, 'cluster'),
        ]);
        if (!instance || !last || !cluster) {
          throw new VnflowError('VNF_NOT_INSTANTIATED', {
            detail: `VNF instance ${vnfInstanceId} has no cluster that vnflow has made.`,
          });
        }
        const context = { deps, input: { vnfInstanceId, vnfLcmOpOccId: last.id }, ...lease };
        const given = await onControlPlane(context, { reachSeconds: REACH_SECONDS }, (node) =>
          giveToken(node, request),
        );
        const name = instance.name ?? vnfInstanceId;
        const kubeconfig = accessKubeconfig({ cluster: name, server: apiServerUrl(cluster), user, role, ...given });
        await deps.secrets.put(secretName.kubeconfig(requestId), kubeconfig, vnfInstanceId);
      }),
  };
}

async function giveToken(
  node: NodeContext,
  { user, role, ttlSeconds }: AccessRequest,
): Promise<{ readonly token: string; readonly expiresAt: string; readonly authority: string }> {
  const account = accessAccount(user, role, createHash('sha256').update(user).digest('hex'));
  await makeAccount(node, account, accessManifest(account, user, role));
  const words = ['create', 'token', account.name, '--namespace', account.namespace];
  const failure = `The cluster gave no token for the service account ${account.name} (asked on ${node.session.label}).`;
  const { stdout } = await kubectl(node, [...words, '--duration', `${ttlSeconds}s`, '-o', 'json'], {
    timeoutMs: TIMEOUT_MS,
    failure,
  });
  const { stdout: authority } = await runAsRoot(node, ['cat', CLUSTER_CA], '');
  try {
    return { ...readTokenRequest(stdout), authority };
  } catch {
    // the text is not quoted: it may hold a token
    throw new VnflowError('NODE_PROTOCOL', { detail: `kubectl on ${node.session.label} printed no TokenRequest.` });
  }
}

async function makeAccount(node: NodeContext, { name }: AccessAccount, manifest: string): Promise<void> {
  const { code, stderr } = await runAsRoot(node, ['kubectl', ...ADMIN, 'apply', '-f', '-'], manifest);
  if (code === 0) return;
  throw new VnflowError('CLUSTER_NOT_READY', {
    detail: `The service account ${name} could not be made on ${node.session.label}.`,
    seen: stderr.slice(-1000),
  });
}

function runAsRoot({ session, signal }: NodeContext, words: readonly string[], stdin: string) {
  return execAsRoot(session, sudoCommand(words), { timeoutMs: TIMEOUT_MS, signal, stdin });
}
